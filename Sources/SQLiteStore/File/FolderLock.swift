#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Lets one store at a time, of all processes, make, look through or move files of a folder.
///
/// It is the folder that is locked (`flock`): opening the database's own file beside SQLite, and closing it, would
/// end SQLite's locks.
struct FolderLock: ~Copyable {
    private let descriptor: Int32

    /// Waits up to five seconds. A lock that cannot be had is done without: somebody has been stopped while he held
    /// it.
    init(_ folder: String) {
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        var tries = 500
        while descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0, tries > 0 {
            usleep(10_000)
            tries -= 1
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}
