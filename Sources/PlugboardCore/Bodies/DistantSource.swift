import PlugboardBorder

/// A body of another loop than its reader's: it is pulled on its own loop, and the node around this source brings its
/// pieces to the reader's.
final class DistantSource: BodySource {
    private let body: BodyNode
    let length: Int?

    init(_ body: BodyNode) {
        self.body = body
        length = body.length
    }

    func pull(_ pull: Pull) { body.pull(pull) }
    func release() { body.release() }
}
