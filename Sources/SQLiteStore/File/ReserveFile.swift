#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file `NAME-reserve` beside a database: it marks the database as made by this library, and holds disk space.
///
/// On a full disk SQLite cannot open a database, nor delete from it: both need a little room. This file gives its room back
/// then. The mark says, when a database is so damaged that it says nothing itself, that it may be moved aside.
struct ReserveFile: Sendable {
    private let path: String
    private let mark: [UInt8]

    /// The index of the write-ahead log (32 KiB), and the log of one transaction that deletes.
    static let size = 256 << 10

    init(beside path: String, applicationID: Int32) {
        self.path = path + "-reserve"
        mark = Array("Plugboard keeps this file for \(applicationID): see its Plugins/README.md.\n".utf8)
    }

    /// Whether the database at this path was made by this library, for this application.
    var isMarked: Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: mark.count)
        return pread(file, &bytes, bytes.count, 0) == bytes.count && bytes == mark
    }

    /// Marks the database, and takes space where there is enough. Best effort.
    func fill() {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        if Int(status.st_size) < mark.count { pwrite(file, mark, mark.count, 0) }
        guard Int(status.st_blocks) * 512 < ReserveFile.size, let space = DiskSpace(of: path),
            space.available >= 2 * ReserveFile.size
        else { return }
        _ = posix_fallocate(file, 0, off_t(ReserveFile.size))
    }

    /// Gives the space back; the mark stays. False if there was none.
    func release() -> Bool {
        let file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, Int(status.st_size) > mark.count else { return false }
        return ftruncate(file, off_t(mark.count)) == 0
    }
}
