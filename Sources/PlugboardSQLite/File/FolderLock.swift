import PlugboardSystem

/// Allows one store at a time, in all processes, to make, check or move files of a folder.
///
/// The folder is locked (`flock`) and not the database's file: opening and closing that file would release SQLite's
/// locks.
struct FolderLock: ~Copyable {
    private let descriptor: Int32
    /// Whether the folder is locked.
    let isHeld: Bool

    /// Waits up to five seconds, and then continues without the lock: its owner may have been stopped.
    init(_ folder: String) {
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        var tries = 500
        var isLocked = descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0
        while descriptor >= 0, !isLocked, tries > 0 {
            usleep(10_000)
            tries -= 1
            isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        }
        isHeld = isLocked
    }

    deinit {
        guard descriptor >= 0 else { return }
        // Closing alone would leave the lock to a child process that has not yet called exec.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
