import CPlugboardSQLite
import PlugboardMessages
import PlugboardSystem

/// The path of the database's file, which is checked, made and moved aside here.
struct StoreFile {
    /// The absolute path of the folder, without symbolic links.
    let folder: String
    let name: String

    var path: String { "\(folder)/\(name)" }

    /// - Parameter makesFolders: Whether missing folders are made, with access for their owner only.
    init(_ path: String, makesFolders: Bool = true) throws(SQLiteFailure) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard let name = parts.last, name != ".", name != "..", !path.utf8.contains(0), !path.hasSuffix("/") else {
            throw .refused("The path “\(path)” names no file. Give the path of a file.")
        }
        var folder = path.hasPrefix("/") ? "/" : "."
        for part in parts.dropLast() {
            folder += "/\(part)"
            if makesFolders, mkdir(folder, 0o700) != 0 && errno != EEXIST {
                throw StoreFile.failure(folder, "cannot be made")
            }
        }
        guard let resolved = realpath(folder, nil) else { throw StoreFile.failure(folder, "cannot be found") }
        defer { free(resolved) }
        self.folder = String(cString: resolved)
        self.name = String(name)
    }

    /// Throws a failure of the kind `refused` if other users could change or read the data: folder and files must
    /// belong to this user or to root, and only these may write to them. Follows no links.
    func check() throws(SQLiteFailure) {
        var status = stat()
        guard lstat(folder, &status) == 0 else { throw StoreFile.failure(folder, "cannot be examined") }
        // In a sticky folder other users cannot replace the file, but they could make x.sqlite-wal before SQLite does.
        guard status.st_mode & (S_ISVTX | S_IWOTH) != S_ISVTX | S_IWOTH else {
            throw .refused(
                "\(folder) can be written by all users (mode \(Ownership(status).permissions)), who could put files "
                    + "beside \(path). Give a path in a folder of your own, such as \(folder)/NAME/\(name).")
        }
        try StoreFile.check(folder, Ownership(status))
        for suffix in StoreFile.suffixes where lstat(path + suffix, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw .refused("\(path + suffix) is not a regular file. Give another path.")
            }
            try StoreFile.check(path + suffix, Ownership(status))
        }
    }

    /// Makes sure that there is a regular file of this user, which no other user can read.
    func secure() throws(SQLiteFailure) {
        try check()
        // Otherwise SQLite makes it with the permissions of the umask.
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno != EEXIST {
            throw StoreFile.failure(path, "cannot be made")
        }
        for suffix in StoreFile.suffixes {
            var status = stat()
            guard lstat(path + suffix, &status) == 0, status.st_mode & 0o077 != 0 else { continue }
            // Not by a descriptor: closing one would release SQLite's locks.
            fchmodat(AT_FDCWD, path + suffix, 0o600, AT_SYMLINK_NOFOLLOW)
        }
    }

    /// The suffixes of the database and of the files beside it.
    private static let suffixes = ["", "-wal", "-shm", "-journal", "-reserve"]

    private static func check(_ path: String, _ ownership: Ownership) throws(SQLiteFailure) {
        switch ownership.flaw() {
        case nil: return
        case .owner:
            throw .refused(
                "\(path) belongs to user \(ownership.owner), and this process to user \(geteuid()). Only what belongs to "
                    + "the process's user or to root is used: "
                    + "\(geteuid() == 0 ? "run the program without sudo" : "chown it"), or give another path.")
        case .writable:
            throw .refused(
                "\(path) can be written to by other users than its owner (mode \(ownership.permissions)). "
                    + "Remove the permission (chmod go-w \(path)), or give another path.")
        }
    }

    /// The size of the file in bytes; 0 if there is no file.
    var size: Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Whether there is a file that this process may read and not write to, or beside which it can make no files.
    var isReadOnly: Bool {
        access(path, R_OK) == 0 && (access(path, W_OK) != 0 || access(folder, W_OK) != 0)
    }

    /// Whether there is a write-ahead log with its index.
    var hasLog: Bool { access(path + "-wal", R_OK) == 0 && access(path + "-shm", R_OK) == 0 }

    /// Renames the file, and those beside it, to an unused name, which it returns.
    func moveAside() throws(SQLiteFailure) -> String {
        for number in 1...9999 {
            let other = "\(path).damaged-\(number)"
            var status = stat()
            if lstat(other, &status) == 0 { continue }
            guard rename(path, other) == 0 else { throw StoreFile.failure(path, "cannot be moved aside") }
            for suffix in ["-wal", "-shm", "-journal"] { rename(path + suffix, other + suffix) }
            return other
        }
        throw SQLiteFailure(
            code: SQLITE_CANTOPEN,
            message: "\(path) is damaged, and there are thousands of files \(path).damaged-N. Move them away.")
    }

    private static func failure(_ path: String, _ what: String) -> SQLiteFailure {
        SQLiteFailure(code: SQLITE_CANTOPEN, message: "\(path) \(what): \(systemText(errno)).")
    }
}
