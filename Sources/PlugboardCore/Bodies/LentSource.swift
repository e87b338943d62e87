import PlugboardBorder

/// A request's body as a plugin gets it to wrap. It cannot be released through this: the exchange releases it.
///
/// Sendable because it is touched on the loop only.
final class LentSource: BodySource, @unchecked Sendable {
    private let body: BodyNode

    init(_ body: BodyNode) { self.body = body }

    var length: Int? { body.length }
    var canRewind: Bool { body.canRewind }
    func nextIfReady() -> Piece? { body.nextIfReady() }
    func pull(_ pull: Pull) { body.pull(pull) }
    func rewind() -> Bool { body.rewind() }
}
