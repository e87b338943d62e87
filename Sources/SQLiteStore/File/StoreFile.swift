import CSQLite

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

    /// Makes the folders that are missing, for their owner only.
    init(_ path: String) throws(SQLiteFailure) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard let name = parts.last, name != ".", name != "..", !path.utf8.contains(0), !path.hasSuffix("/") else {
            throw SQLiteFailure(code: SQLITE_CANTOPEN, message: "The path “\(path)” names no file.")
        }
        var folder = path.hasPrefix("/") ? "/" : "."
        for part in parts.dropLast() {
            folder += "/\(part)"
            if mkdir(folder, 0o700) != 0 && errno != EEXIST { throw StoreFile.failure(folder, "cannot be made") }
        }
        guard let resolved = realpath(folder, nil) else { throw StoreFile.failure(folder, "cannot be found") }
        defer { free(resolved) }
        self.folder = String(cString: resolved)
        self.name = String(name)
    }

    /// Makes sure that there is a regular file of ours, which nobody else can read.
    func secure() throws(SQLiteFailure) {
        var status = stat()
        if lstat(path, &status) != 0 {
            guard errno == ENOENT else { throw StoreFile.failure(path, "cannot be looked at") }
            // SQLite would make it as the umask says.
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if descriptor >= 0 {
                close(descriptor)
            } else if errno != EEXIST {
                throw StoreFile.failure(path, "cannot be made")
            }
            return
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SQLiteFailure(
                code: SQLITE_CANTOPEN, message: "\(path) is no regular file. Remove it, or give another path.")
        }
        guard status.st_uid == geteuid() || geteuid() == 0 else {
            throw SQLiteFailure(
                code: SQLITE_PERM, message: "\(path) belongs to another user. Remove it, or give another path.")
        }
        // SQLite gives the same mode to the files that it makes beside this one.
        if status.st_mode & 0o077 != 0 {
            for file in [path, "\(path)-wal", "\(path)-shm"] { chmod(file, 0o600) }
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
