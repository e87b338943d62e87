import PlugboardKit

/// The progress of an exchange whose response's body is wrapped by plugins.
///
/// An attempt counts what it sends and receives. A body that broke may be continued by the plugin that wraps it, with
/// sub-requests: from then on its bytes are those that the plugin has given, whatever is received once more.
final class WrappedProgress {
    private struct Wrapping {
        let slot: Int
        weak var node: BodyNode?
    }

    private var wrappings: [Wrapping] = []
    /// What the attempt has reported last.
    fileprivate var last = TransferProgress()
    /// The body that a plugin continues.
    fileprivate(set) var continued: BodyNode?

    /// The plugin of this slot has set the body.
    fileprivate func add(_ node: BodyNode, of slot: Int) {
        wrappings.removeAll { $0.slot == slot || $0.node == nil }
        wrappings.append(Wrapping(slot: slot, node: node))
    }

    /// The plugin of this slot sends a sub-request for the exchange.
    fileprivate func noteSubRequest(by slot: Int) {
        if let node = wrappings.first(where: { $0.slot == slot })?.node { continued = node }
    }
}

/// How far the bodies are, for plugins and the program.
extension ExchangeCore {
    /// A plugin has set the response's body.
    func noteWrapped(_ body: BodyNode?) {
        guard isProgressWatched, let body, let slot = frame.slot?.index else { return }
        if wrappedProgress == nil { wrappedProgress = WrappedProgress() }
        wrappedProgress?.add(body, of: slot)
    }

    /// The plugin of this slot sends a sub-request for this exchange. If it wraps the response's body, it continues it.
    func noteSubRequest(by slot: Int) { wrappedProgress?.noteSubRequest(by: slot) }

    /// The attempt has sent or received bytes.
    func report(_ progress: TransferProgress) {
        wrappedProgress?.last = progress
        emit(.progress, .bytes(progress))
        family.parent?.reportContinued()
    }

    /// Reports the bytes of a body that a plugin continues; nothing for others.
    ///
    /// - Parameter isAtEnd: Whether all bytes have come.
    func reportContinued(isAtEnd: Bool = false) {
        guard let wrapped = wrappedProgress, let body = wrapped.continued else { return }
        // The network may have had more than was read before the break.
        wrapped.last.received = max(wrapped.last.received, body.givenCount)
        wrapped.last.toReceive = isAtEnd ? wrapped.last.received : body.length
        emit(.progress, .bytes(wrapped.last))
    }

    /// Whether events of the network are wanted, which cost the transport something.
    var isWatchedClosely: Bool { isProgressWatched || family.parent?.wrappedProgress?.continued != nil }

    private var isProgressWatched: Bool { watch != nil || pipeline.watchers.isWatchedClosely }
}
