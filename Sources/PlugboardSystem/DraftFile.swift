/// A file that is written under another name in the same folder, and renamed when it is complete, so that an incomplete
/// file is never visible. If it is released before that, it is removed.
///
/// Used by one task at a time. Its functions block.
package final class DraftFile {
    package struct Failure: Error {
        /// The `errno` of the call that failed.
        package let number: Int32

        package init(_ number: Int32 = errno) { self.number = number }
    }

    /// What the bytes are written to.
    package private(set) var descriptor: Int32
    private let path: String
    private let draft: String
    /// Whether the file has the name `draft`.
    private var isDraft = false

    /// Creates a file that will replace `path`. A symbolic link there is replaced, not followed.
    ///
    /// - Parameter draft: Its name until then, for a file that is written often: a file of this name, which a kill has
    ///   left, is removed. It must not be a name of the user's, and only one task at a time may use it. Nil for a new
    ///   name.
    package init(_ path: String, mode: mode_t, as draft: String? = nil) throws(Failure) {
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? ""
        // An unpredictable name, because other users may write to the folder. It does not contain the file's name,
        // which may have the maximum length.
        self.draft = draft ?? "\(folder).plugboard-\(String(UInt64.random(in: 0 ... .max), radix: 36)).part"
        self.path = path
        if let draft { unlink(draft) }
        descriptor = open(self.draft, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw Failure() }
        isDraft = true
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if isDraft { unlink(draft) }
    }

    /// Closes and renames the complete file.
    ///
    /// - Parameters:
    ///   - isSynced: Whether its bytes must be written to the disk first.
    ///   - closing: Closes the descriptor; tests replace it.
    package func appear(isSynced: Bool, closing: (Int32) -> Int32 = close) throws(Failure) {
        guard !isSynced || fsync(descriptor) == 0 else { throw Failure() }
        // Some file systems, such as NFS, write the bytes only now, and it can fail.
        let closed = closing(descriptor)
        descriptor = -1
        guard closed == 0, rename(draft, path) == 0 else { throw Failure() }
        isDraft = false
    }

    /// Replaces a file by one with these bytes. After a kill it has the old bytes or the new ones.
    ///
    /// - Parameters:
    ///   - draft: As in `init`.
    ///   - isSynced: Whether the new file must survive a power failure.
    ///   - prepare: Called with the new file before it gets the name. Returns the system's error, or nil.
    package static func replace(
        _ path: String, with bytes: [UInt8], mode: mode_t = 0o600, as draft: String? = nil, isSynced: Bool,
        _ prepare: (_ descriptor: Int32) -> Int32? = { _ in nil }
    ) throws(Failure) {
        let file = try DraftFile(path, mode: mode, as: draft)
        if let number = bytes.withUnsafeBytes({ writeAll($0, to: file.descriptor) }) ?? prepare(file.descriptor) {
            throw Failure(number)
        }
        try file.appear(isSynced: isSynced)
        if isSynced { synchronizeFolder(of: path) }
    }
}

/// Writes all bytes at an offset, or without one at the position of the file. Blocks. Returns the system's error, or
/// nil.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int? = nil) -> Int32? {
    var written = 0
    while written < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
        let count =
            offset.map { pwrite(file, rest.baseAddress, rest.count, off_t($0 + written)) }
            ?? write(file, rest.baseAddress, rest.count)
        if count > 0 {
            written += count
        } else if count < 0, errno == EAGAIN {
            var wanted = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
            _ = poll(&wanted, 1, -1)
        } else if count == 0 || errno != EINTR {
            return count == 0 ? ENOSPC : errno
        }
    }
    return nil
}

/// Writes the folder of a file to the disk, so that a new name survives a power failure. Best effort: some file systems
/// cannot synchronize a folder.
package func synchronizeFolder(of path: String) {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { $0 == path.utf8.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
}
