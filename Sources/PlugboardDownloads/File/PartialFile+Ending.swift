import CPlugboardFiles
import PlugboardFileClaims
import PlugboardMessages
import PlugboardSystem

extension PartialFile {
    /// Gives the file its final name when its bytes are on the disk and have the digests.
    ///
    /// - Parameters:
    ///   - destination: A path in the folder of the partial file.
    ///   - fallback: The path if the destination cannot be written; nil for none.
    ///   - replaces: Whether an existing file is replaced.
    /// - Returns: The final path.
    func appear(
        as destination: String, or fallback: String? = nil, replaces: Bool, _ expected: [ExpectedDigest]
    ) async throws(PlugboardError) -> String {
        if let wrong = try await missing(expected) {
            remove()
            throw PlugboardError(
                .downloadDigest,
                "The \(count) bytes received do not have the expected \(wrong.algorithm.title), and were removed. "
                    + "The server has another file, or the file was changed on its way.")
        }
        // The partial file was longer. In other cases its time of change must stay, because the journal has it.
        var status = stat()
        guard fstat(descriptor, &status) == 0,
            status.st_size == off_t(count) || ftruncate(descriptor, off_t(count)) == 0
        else { throw .writing(partial) }
        try await settleFlush()
        if let error = await file.waiting(for: { fsync($0) }) { throw loseUnsynchronized(error) }
        guard FileClaim.isSame(descriptor, partial) else {
            var failed: PlugboardError?
            if let fallback {
                do throws(PlugboardError) {
                    try await copy(to: fallback, replaces: replaces)
                    return fallback
                } catch {
                    guard error.code == .downloadWrite else { throw error }
                    failed = error
                }
            }
            throw PlugboardError(
                .downloadWrite,
                "\(partial) was moved or replaced while it was received, so \(destination) was not written"
                    + (fallback.map { ", and \($0) cannot be written" } ?? "")
                    + ". All \(count) bytes are in the file that "
                    + "was \(partial), if that was moved.", underlying: failed.map { $0.underlying ?? $0.reason })
        }
        do throws(PlugboardError) {
            if fallback != nil { try PartialFile.checkDestination(destination) }
            try put(at: destination, replaces: replaces)
            return destination
        } catch {
            guard error.code == .downloadWrite, let fallback else { throw error }
            try await move(to: fallback, replaces: replaces, instead: destination)
            return fallback
        }
    }

    /// Renames the complete file.
    func put(at destination: String, replaces: Bool) throws(PlugboardError) {
        let failed =
            replaces
            ? (rename(partial, destination) == 0 ? nil : errno) : PartialFile.renameNew(partial, destination)
        if failed == EEXIST { throw PartialFile.exists(destination) }
        if let failed {
            throw stuck("\(destination) cannot be written", underlying: systemText(failed))
        }
        isPresent = false
        unlink(journalPath)
        synchronizeFolder(of: destination)
    }

    /// The error for a complete file that cannot be renamed.
    func stuck(_ reason: String, underlying: String?) -> PlugboardError {
        PlugboardError(
            .downloadWrite,
            "The file is complete, but \(reason). All \(count) bytes are in \(partial): "
                + "move it by hand, or remove the cause and download once more: no byte is received again.",
            underlying: underlying)
    }

    /// Renames a file unless the new name exists. Returns the system's error, or nil.
    ///
    /// - Parameter usesLink: Uses a hard link, for file systems whose rename cannot do that.
    static func renameNew(_ old: String, _ new: String, usesLink: Bool = false) -> Int32? {
        if !usesLink {
            if cfiles_rename_new(old, new) == 0 { return nil }
            guard errno == EINVAL || errno == ENOSYS else { return errno }
        }
        guard link(old, new) == 0 else { return errno }
        return unlink(old) == 0 ? nil : errno
    }

    /// - Parameter difference: The difference between the file and the server's file.
    static func exists(_ path: String, _ difference: String? = nil) -> PlugboardError {
        PlugboardError(
            .downloadExists, "\(path) exists, and is not to be replaced.\(difference.map { " \($0)" } ?? "")")
    }

    /// Removes the bytes and the journal.
    func remove() {
        guard isPresent, FileClaim.isSame(descriptor, partial) else { return }
        isPresent = false
        // Without the journal value, it is not written again.
        journal = nil
        unlink(partial)
        unlink(journalPath)
    }

    /// Removes the files if the request received nothing.
    func removeIfUnused() {
        var file = stat()
        guard isPresent, journal == nil, fstat(descriptor, &file) == 0, file.st_size == 0,
            access(journalPath, F_OK) != 0, FileClaim.isSame(descriptor, partial)
        else { return }
        unlink(partial)
    }

    /// Removes the partial file and the journal of this path, unless another download is writing them.
    static func remove(of path: String) {
        if FileClaim.afterRelease(of: "\(path).part", { remove(of: path) }) { return }
        guard access("\(path).part.json", F_OK) == 0, let file = try? PartialFile(path) else { return }
        file.remove()
    }
}
