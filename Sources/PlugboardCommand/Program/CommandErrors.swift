import PlugboardKit

extension PlugboardError.Code {
    /// Nothing was sent, because the command `explain` only shows what would be sent.
    static let requestDry: Self = "request.dry"
}
