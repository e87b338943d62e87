import PlugboardMessages
import PlugboardSystem

/// A file that is written under another name in the same folder, and renamed when it is complete, so that an incomplete
/// file is never visible. If it is released before that, it is removed.
///
/// Used by one task at a time. Its functions block.
package final class WholeFile {
    private let path: String
    private let temporary: String
    private let descriptor: Int32
    private let permissions: mode_t?
    private var isThere = false

    /// Creates a file that will replace `path`, or the target of the symbolic link there.
    ///
    /// - Parameter permissions: As in `chmod`. Nil for those of the replaced file, or of a new file.
    package init(_ path: String, permissions: UInt32? = nil) throws(PlugboardError) {
        var existing = stat()
        var wanted = permissions.map { mode_t($0 & 0o777) }
        var target = path
        if stat(path, &existing) == 0 {
            guard existing.st_mode & S_IFMT == S_IFREG else {
                throw PlugboardError(.downloadWrite, "\(path) is not a regular file, and cannot be replaced.")
            }
            wanted = wanted ?? existing.st_mode & 0o777
            if let resolved = realpath(path, nil) {
                target = String(cString: resolved)
                free(resolved)
            }
        }
        let slash = target.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { target[...$0] } ?? ""
        // The name does not contain the file's name, which may have the maximum length.
        temporary = "\(folder).plugboard-\(String(UInt64.random(in: .min ... .max), radix: 36)).part"
        self.path = target
        self.permissions = wanted
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, wanted ?? 0o666)
        guard descriptor >= 0 else { throw WholeFile.error(path, errno) }
    }

    deinit {
        if descriptor < 0 { return }
        close(descriptor)
        if !isThere { unlink(temporary) }
    }

    /// Appends bytes.
    package func write(_ bytes: Bytes) throws(PlugboardError) {
        let failed = bytes.withUnsafeBytes { WholeFile.writeAll($0, to: descriptor) }
        if let failed { throw WholeFile.error(path, failed) }
    }

    /// Renames the complete file.
    ///
    /// - Parameter isSynced: Whether its bytes must be written to the disk first.
    package func appear(isSynced: Bool = false) throws(PlugboardError) {
        if let permissions { _ = fchmod(descriptor, permissions) }
        guard !isSynced || fsync(descriptor) == 0, rename(temporary, path) == 0 else {
            throw WholeFile.error(path, errno)
        }
        isThere = true
    }

    /// Writes all bytes. Returns the number of the error, or nil.
    private static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
        var rest = bytes
        while !rest.isEmpty {
            let count = systemWrite(descriptor, rest.baseAddress, rest.count)
            if count > 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if count == 0 || errno != EINTR {
                return errno
            }
        }
        return nil
    }

    private static func error(_ path: String, _ cause: Int32) -> PlugboardError {
        PlugboardError(.downloadWrite, "\(path) cannot be written.", underlying: systemText(cause))
    }
}

/// The system's function, which the method of the same name would hide in the class.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
