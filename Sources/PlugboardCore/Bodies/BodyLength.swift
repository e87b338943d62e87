import PlugboardBorder

/// Counts the bytes that a body must still give, for a body whose source comes from outside the kernel.
struct BodyLength {
    /// Nil where the length is not known or not checked.
    private var left: Int?

    init(_ left: Int?) { self.left = left }

    /// Starts again, because the body is read from its first byte again.
    mutating func begin(_ source: any BodySource) {
        if left != nil { left = source.length }
    }

    /// Returns the piece, or an error if the source gives more bytes than its length says, or ends too early.
    mutating func check(_ piece: Piece, of source: any BodySource) -> Piece {
        guard let left else { return piece }
        switch piece {
        case .bytes(let bytes) where bytes.count <= left:
            self.left = left - bytes.count
            return piece
        case .bytes(let bytes): return .broken(BodyLength.error(source, "gave \(bytes.count - left) bytes more"))
        case .end where left > 0: return .broken(BodyLength.error(source, "ended it \(left) bytes early"))
        case .end, .broken: return piece
        }
    }

    private static func error(_ source: any BodySource, _ what: String) -> PlugboardError {
        if let plugin = source as? PluginSource { return plugin.wrongLength(what) }
        return PlugboardError(
            .bodyRead, "The request's body announced \(source.length ?? 0) bytes, and its source \(what).")
    }
}
