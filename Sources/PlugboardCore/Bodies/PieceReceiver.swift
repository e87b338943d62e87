import PlugboardBorder

/// Passes a piece to a function.
///
/// Sendable because it is called on the loop only, once.
final class PieceReceiver: PullReceiver, @unchecked Sendable {
    private let completed: (Piece) -> Void

    init(_ completed: @escaping (Piece) -> Void) { self.completed = completed }

    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        completed(piece)
        return true
    }
}
