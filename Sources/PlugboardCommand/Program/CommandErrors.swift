import PlugboardKit

extension PlugboardError.Code {
    /// A received body cannot be written to its file.
    static let downloadWrite: Self = "download.write"
    /// Nothing was sent, because the command `explain` only shows what would be sent.
    static let requestDry: Self = "request.dry"
}
