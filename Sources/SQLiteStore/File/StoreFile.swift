import CSQLite
import Messages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The database's file in its folder, by name: made, secured, moved aside.
struct StoreFile {
    /// Without symbolic links, and independent of the current folder.
    let folder: String
    let name: String

    var path: String { "\(folder)/\(name)" }

    /// - Parameter makesFolders: whether folders that are missing are made, for their owner only.
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

    /// Throws `refused` if others could change or read what is stored: everything must belong to this user or to root, and
    /// may be written by no other. Follows no link.
    func check() throws(SQLiteFailure) {
        var status = stat()
        guard lstat(folder, &status) == 0 else { throw StoreFile.failure(folder, "cannot be looked at") }
        // Others cannot replace a file of ours there, but make one beside it before SQLite does: x.sqlite-wal is then
        // theirs.
        guard status.st_mode & (S_ISVTX | S_IWOTH) != S_ISVTX | S_IWOTH else {
            throw .refused(
                "\(folder) can be written by all users (mode \(Ownership(status).permissions)), who could put files "
                    + "beside \(path). Give a path in a folder of your own, such as \(folder)/NAME/\(name).")
        }
        try StoreFile.check(folder, Ownership(status))
        for suffix in StoreFile.suffixes where lstat(path + suffix, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw .refused("\(path + suffix) is no regular file. Remove it, or give another path.")
            }
            try StoreFile.check(path + suffix, Ownership(status))
        }
    }

    /// Makes sure that there is a regular file of ours, which nobody else can read.
    func secure() throws(SQLiteFailure) {
        try check()
        // SQLite would make it as the umask says.
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno != EEXIST {
            throw StoreFile.failure(path, "cannot be made")
        }
        for suffix in StoreFile.suffixes {
            var status = stat()
            guard lstat(path + suffix, &status) == 0, status.st_mode & 0o077 != 0 else { continue }
            // Not by a descriptor: closing one would end SQLite's locks.
            fchmodat(AT_FDCWD, path + suffix, 0o600, AT_SYMLINK_NOFOLLOW)
        }
    }

    /// The database, and what stands beside it.
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
                "\(path) can be written by others than its owner (mode \(ownership.permissions)). "
                    + "Take that right away (chmod go-w \(path)), or give another path.")
        }
    }

    /// Bytes of the file; zero if there is none.
    var size: Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Gives the file, and those beside it, a name that is free. Returns that name.
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
            code: SQLITE_CANTOPEN, message: "\(path) is damaged, as thousands before it. Remove them.")
    }

    private static func failure(_ path: String, _ what: String) -> SQLiteFailure {
        SQLiteFailure(code: SQLITE_CANTOPEN, message: "\(path) \(what): \(String(cString: strerror(errno))).")
    }
}
