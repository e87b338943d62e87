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
    ///   - waits: Whether a FIFO is waited for; otherwise one without a writer counts as empty, and one whose writer
    ///     has written nothing yet cannot be read.
    /// - Throws: An error that names the file, if it cannot be read or is larger than the limit.
    public static func bytes(
        of path: String, limit: ByteCount, code: PlugboardError.Code, waits: Bool = false
    ) throws(PlugboardError) -> [UInt8] {
        switch SmallFile.bytes(of: path, limit: min(limit.bytes, .max - 1), waits: waits) {
        case .success(let bytes) where bytes.count <= limit.bytes: return bytes
        case .success: throw PlugboardError(code, "The file \(Printable.text(path)) is larger than \(limit).")
        case .failure(let error): throw PlugboardError(code, "The file \(Printable.text(path)) \(error.reason).")
        }
    }

    /// Replaces a file by a new one. A reader, a crash or a power failure finds the old or the new content, never a
    /// part.
    ///
    /// A device or a FIFO of this user or of root is written to. A symbolic link is followed only if it belongs to this
    /// user or to root, and a file that it leads to only if that belongs to this user. All else is replaced, so that
    /// another user's link or FIFO in a shared folder such as /tmp gets nothing.
    ///
    /// - Parameters:
    ///   - code: The code of errors.
    ///   - isPrivate: Whether only its owner can read the new file (mode 0600); otherwise all users can (0644).
    /// - Throws: An error that names the file, if it cannot be written; no draft is left beside it.
    public static func save(
        _ bytes: [UInt8], to path: String, code: PlugboardError.Code, isPrivate: Bool = true
    ) throws(PlugboardError) {
        do throws(Failure) { try save(bytes, to: path, mode: isPrivate ? 0o600 : 0o644) } catch {
            throw PlugboardError(
                code, "The file \(Printable.text(path)) cannot be written: \(systemText(error.number)).")
        }
    }

    private typealias Failure = DraftFile.Failure

    private static func save(_ bytes: [UInt8], to path: String, mode: mode_t) throws(Failure) {
        var entry = stat()
        guard lstat(path, &entry) == 0 else { return try replace(path, with: bytes, mode) }
        let isLink = entry.st_mode & S_IFMT == S_IFLNK
        guard isLink || entry.st_mode & S_IFMT != S_IFREG, isTrusted(entry) else {
            return try replace(path, with: bytes, mode)
        }
        var target = stat()
        guard stat(path, &target) == 0 else { return try replace(path, with: bytes, mode) }
        if target.st_mode & S_IFMT != S_IFREG { return try overwrite(path, with: bytes, followsLink: isLink) }
        guard target.st_uid == geteuid(), let real = realpath(path, nil) else {
            return try replace(path, with: bytes, mode)
        }
        defer { free(real) }
        try replace(String(cString: real), with: bytes, mode)
    }

    private static func isTrusted(_ entry: stat) -> Bool { entry.st_uid == geteuid() || entry.st_uid == 0 }

    /// Writes to a device or a FIFO. Fails for a folder.
    private static func overwrite(_ path: String, with bytes: [UInt8], followsLink: Bool) throws(Failure) {
        let file = open(path, O_WRONLY | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW))
        guard file >= 0 else { throw Failure() }
        defer { close(file) }
        var opened = stat()
        // Another user may have put something else at the path since it was looked at.
        guard fstat(file, &opened) == 0, opened.st_mode & S_IFMT != S_IFREG, isTrusted(opened) else {
            throw Failure(EPERM)
        }
        if let number = bytes.withUnsafeBytes({ writeAll($0, to: file) }) { throw Failure(number) }
    }

    /// Writes a new file and renames it to the path. A symbolic link at the path is replaced, not followed.
    private static func replace(_ path: String, with bytes: [UInt8], _ mode: mode_t) throws(Failure) {
        try DraftFile.replace(path, with: bytes, mode: mode, isSynced: true) { fchmod($0, mode) == 0 ? nil : errno }
    }
}
