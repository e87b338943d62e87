import PlugboardCookiesOptions
import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Reads and writes whole files that contain secrets. Blocks: called off the loop only.
enum PrivateFile {
    /// The most bytes that a file of cookies may have.
    static let limit = 64 << 20

    static func contents(of path: String) throws(PlugboardError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure("read", path) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(file, &piece, piece.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw failure("read", path) }
            if count == 0 { return bytes }
            bytes += piece[..<count]
            guard bytes.count <= limit else {
                throw PlugboardError(
                    .cookiesFile, "\(path) is larger than the \(limit >> 20) MiB allowed for a file of cookies.")
            }
        }
    }

    /// Writes a file atomically, so that only its owner can read it. A device or a FIFO at the path is written to.
    ///
    /// A symbolic link is followed only if it belongs to this user or to root, and its target to this user; otherwise
    /// the file replaces the link, so that another user's link in a shared folder cannot redirect the write.
    static func save(_ bytes: [UInt8], to path: String) throws(PlugboardError) {
        var entry = stat()
        guard lstat(path, &entry) == 0 else { return try replace(path, with: bytes) }
        var target = entry
        if entry.st_mode & S_IFMT == S_IFLNK {
            let isTrusted = entry.st_uid == geteuid() || entry.st_uid == 0
            guard isTrusted, stat(path, &target) == 0 else { return try replace(path, with: bytes) }
        }
        guard target.st_mode & S_IFMT == S_IFREG else { return try overwrite(path, with: bytes) }
        guard entry.st_mode & S_IFMT == S_IFLNK, target.st_uid == geteuid(), let real = realpath(path, nil) else {
            return try replace(path, with: bytes)
        }
        defer { free(real) }
        try replace(String(cString: real), with: bytes)
    }

    /// Writes to a device or a FIFO, which must not be replaced. Fails for a folder.
    private static func overwrite(_ path: String, with bytes: [UInt8]) throws(PlugboardError) {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure("write", path) }
        defer { close(file) }
        guard put(bytes, into: file) else { throw failure("write", path) }
    }

    /// Writes a new file and renames it to the path. A symbolic link at the path is replaced, not followed.
    private static func replace(_ path: String, with bytes: [UInt8]) throws(PlugboardError) {
        // An unpredictable name and a new file: other users may write to a shared folder such as /tmp.
        let draft = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 36)).new"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("write", path) }
        defer { close(file) }
        guard put(bytes, into: file), fsync(file) == 0, rename(draft, path) == 0 else {
            let error = failure("write", path)
            unlink(draft)
            throw error
        }
        synchronizeFolder(of: path)
    }

    private static func put(_ bytes: [UInt8], into file: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
                let count = write(file, start, rest.count)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    /// Best effort: makes the new name survive a power failure.
    private static func synchronizeFolder(of path: String) {
        let name = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
        let folder = open(name.isEmpty ? "/" : String(name), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    private static func failure(_ what: String, _ path: String) -> PlugboardError {
        PlugboardError(.cookiesFile, "Cannot \(what) \(path): \(String(cString: strerror(errno))).")
    }
}
