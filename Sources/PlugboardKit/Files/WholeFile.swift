import PlugboardSystem

/// Files that a plugin reads or writes whole, such as lists, rules and exports.
///
/// Blocks: called while the plugin is created, or off the loop.
public enum WholeFile {
    /// All bytes of a file.
    ///
    /// - Parameters:
    ///   - limit: The most bytes that the file may have.
    ///   - code: The code of errors.
    ///   - waits: Whether a FIFO without a writer is waited for; otherwise it counts as empty.
    /// - Throws: An error that names the file, if it cannot be read or is larger than the limit.
    public static func bytes(
        of path: String, limit: ByteCount, code: PlugboardError.Code, waits: Bool = false
    ) throws(PlugboardError) -> [UInt8] {
        switch SmallFile.bytes(of: path, limit: limit.bytes, waits: waits) {
        case .success(let bytes) where bytes.count <= limit.bytes: return bytes
        case .success:
            throw PlugboardError(code, "The file \(Printable.text(path)) is larger than \(limit).")
        case .failure(let error): throw PlugboardError(code, "The file \(Printable.text(path)) \(error.reason).")
        }
    }

    /// Replaces a file by a new one that only its owner can read. A crash or a power failure leaves the old or the new
    /// content. A device or a FIFO at the path is written to.
    ///
    /// A symbolic link is followed only if it belongs to this user or to root, and its target to this user; otherwise
    /// the file replaces the link, so that another user's link in a shared folder cannot redirect the write.
    ///
    /// - Parameter code: The code of errors.
    /// - Throws: An error that names the file, if it cannot be written; no draft is left beside it.
    public static func save(
        _ bytes: [UInt8], to path: String, code: PlugboardError.Code
    ) throws(PlugboardError) {
        guard save(bytes, to: path) else {
            throw PlugboardError(
                code, "The file \(Printable.text(path)) cannot be written: \(systemText(errno)).")
        }
    }

    /// False if it fails, with the reason in `errno`.
    private static func save(_ bytes: [UInt8], to path: String) -> Bool {
        var entry = stat()
        guard lstat(path, &entry) == 0 else { return replace(path, with: bytes) }
        var target = entry
        if entry.st_mode & S_IFMT == S_IFLNK {
            let isTrusted = entry.st_uid == geteuid() || entry.st_uid == 0
            guard isTrusted, stat(path, &target) == 0 else { return replace(path, with: bytes) }
        }
        guard target.st_mode & S_IFMT == S_IFREG else { return overwrite(path, with: bytes) }
        guard entry.st_mode & S_IFMT == S_IFLNK, target.st_uid == geteuid(), let real = realpath(path, nil) else {
            return replace(path, with: bytes)
        }
        defer { free(real) }
        return replace(String(cString: real), with: bytes)
    }

    /// Fails for a folder.
    private static func overwrite(_ path: String, with bytes: [UInt8]) -> Bool {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return write(bytes, to: file)
    }

    /// Writes a new file and renames it to the path. A symbolic link at the path is replaced, not followed.
    private static func replace(_ path: String, with bytes: [UInt8]) -> Bool {
        // An unpredictable name and a new file: other users may write to a shared folder such as /tmp.
        let draft = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 36)).new"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        guard write(bytes, to: file), fsync(file) == 0, rename(draft, path) == 0 else {
            let reason = errno
            unlink(draft)
            errno = reason
            return false
        }
        synchronizeFolder(of: path)
        return true
    }

    private static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
                let count = PlugboardSystem.write(file, start, rest.count)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    /// Makes the new name survive a power failure, where the folder can be opened.
    private static func synchronizeFolder(of path: String) {
        let name = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
        let folder = open(name.isEmpty ? "/" : String(name), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }
}
