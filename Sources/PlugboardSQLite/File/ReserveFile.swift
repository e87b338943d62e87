import CPlugboardSQLite
import PlugboardSystem

/// The file `NAME-reserve` beside a database: it marks the database as one of this library, and reserves disk space.
///
/// On a full disk, SQLite can neither open a database nor delete from it, because both need some space, which this file
/// then frees. The mark allows moving aside a database that is so damaged that its program cannot be recognized.
struct ReserveFile: Sendable {
    private let path: String
    private let database: String
    private let applicationID: Int32

    /// Enough for the index of the write-ahead log (32 KiB) and for the log of one transaction that deletes.
    static let size = 256 << 10

    init(beside path: String, applicationID: Int32) {
        self.path = path + "-reserve"
        database = path
        self.applicationID = applicationID
    }

    /// The mark, which identifies the database's file by inode and time of creation, because another file may get the
    /// same name. Nil if there is no file.
    private var mark: [UInt8]? {
        var status = stat()
        guard lstat(database, &status) == 0 else { return nil }
        let birth = plugboard_birth_time(database)
        let text = "\(ReserveFile.beginning) \(applicationID): see its Plugins/README.md. \(status.st_ino) \(birth)"
        let padding = max(ReserveFile.markSize - 1 - text.utf8.count, 0)
        return Array(text.utf8) + Array(repeating: UInt8(ascii: " "), count: padding) + [UInt8(ascii: "\n")]
    }

    private static let beginning = "Plugboard keeps this file for"

    /// All marks have this size, so that a later mark overwrites an earlier one.
    private static let markSize = 128

    /// Whether the database at this path was made by this library, for this application.
    var isMarked: Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        guard let mark else { return false }
        return ReserveFile.start(of: file, mark.count) == mark
    }

    private static func start(of file: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return pread(file, &bytes, count, 0) == count ? bytes : nil
    }

    /// Marks the database, and reserves space if there is enough. Best effort.
    func fill() {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        if let mark, ReserveFile.start(of: file, mark.count) != mark,
            Int(status.st_size) < ReserveFile.markSize
                || ReserveFile.start(of: file, ReserveFile.beginning.utf8.count) == Array(ReserveFile.beginning.utf8)
        {
            pwrite(file, mark, mark.count, 0)
        }
        guard Int(status.st_blocks) * 512 < ReserveFile.size, let space = DiskSpace(of: path),
            space.available >= 2 * ReserveFile.size
        else { return }
        _ = posix_fallocate(file, 0, off_t(ReserveFile.size))
    }

    /// Frees the space and keeps the mark. Returns false if no space was reserved.
    func release() -> Bool {
        let file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, Int(status.st_size) > ReserveFile.markSize else { return false }
        return ftruncate(file, off_t(ReserveFile.markSize)) == 0
    }
}
