import PlugboardMessages
import PlugboardSystem

/// A file that is written under another name in the same folder, and renamed when it is complete, so that an incomplete
/// file is never visible. If it is released before that, it is removed.
///
/// Used by one task at a time. Its functions block.
package final class WholeFile {
    private let path: String
    private let draft: DraftFile
    private let permissions: mode_t?

    /// Creates a file that will replace `path`, or the target of the symbolic link there.
    ///
    /// - Parameter permissions: The permissions as in `chmod`. Nil for those of the replaced file, or of a new file.
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
        do throws(DraftFile.Failure) { draft = try DraftFile(target, mode: wanted ?? 0o666) } catch {
            throw WholeFile.error(path, error.number)
        }
        self.path = target
        self.permissions = wanted
    }

    /// Appends bytes.
    package func write(_ bytes: Bytes) throws(PlugboardError) {
        let failed = bytes.withUnsafeBytes { writeAll($0, to: draft.descriptor) }
        if let failed { throw WholeFile.error(path, failed) }
    }

    /// Renames the complete file.
    ///
    /// - Parameter isSynced: Whether its bytes must be written to the disk first.
    package func appear(isSynced: Bool = false) throws(PlugboardError) {
        if let permissions { _ = fchmod(draft.descriptor, permissions) }
        do throws(DraftFile.Failure) { try draft.appear(isSynced: isSynced) } catch {
            throw WholeFile.error(path, error.number)
        }
    }

    private static func error(_ path: String, _ cause: Int32) -> PlugboardError {
        PlugboardError(.downloadWrite, "\(path) cannot be written.", underlying: systemText(cause))
    }
}
