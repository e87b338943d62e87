import PlugboardMessages
import PlugboardSystem

extension PlugboardError.Code {
    /// Another upload with the same journal is under way.
    public static let uploadBusy: Self = "upload.busy"
    /// The file was changed while it was uploaded.
    public static let uploadChanged: Self = "upload.changed"
    /// The journal cannot be written, or the file is not the journal of this upload.
    public static let uploadJournal: Self = "upload.journal"
    /// The content is larger than the server accepts.
    public static let uploadLimit: Self = "upload.limit"
    /// The server says that it has bytes that it cannot have, or asks for bytes that are gone.
    public static let uploadOffset: Self = "upload.offset"
    /// The server does not follow the protocol of resumable uploads that was asked for.
    public static let uploadProtocol: Self = "upload.protocol"
}

extension PlugboardError {
    /// The error of a system call that has just failed with `errno`.
    static func journal(_ path: String, _ number: Int32 = errno) -> PlugboardError {
        PlugboardError(
            .uploadJournal, "The journal \(path) cannot be written.", underlying: systemText(number))
    }
}
