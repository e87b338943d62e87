import PlugboardKit

extension PlugboardError.Code {
    /// The body broke, and the server has another version of it now, so that the rest does not belong to it.
    public static let resumeChanged: Self = "resume.changed"
}
