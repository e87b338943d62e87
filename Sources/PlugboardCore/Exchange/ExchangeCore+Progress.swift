import PlugboardBorder

/// The progress of an exchange whose response's body is wrapped by plugins.
///
/// An attempt counts what it sends and receives. The plugin that wraps a body may continue it with sub-requests after
/// it broke: from then on, only the bytes that the plugin has given count.
final class WrappedProgress {
    private struct Wrapping {
        let slot: Int
        weak var node: BodyNode?
    }

    private var wrappings: [Wrapping] = []
    /// The latest progress of the attempt.
    fileprivate var last = TransferProgress()
    /// The body that a plugin continues.
    fileprivate(set) var continued: BodyNode?

    /// Notes that the plugin of this slot has set the body.
    fileprivate func add(_ node: BodyNode, of slot: Int) {
        wrappings.removeAll { $0.slot == slot || $0.node == nil }
        wrappings.append(Wrapping(slot: slot, node: node))
    }

    /// Notes that the plugin of this slot sends a sub-request for the exchange.
    fileprivate func noteSubRequest(by slot: Int) {
        if let node = wrappings.first(where: { $0.slot == slot })?.node { continued = node }
    }
}

/// Reports the progress of bodies to plugins and the program.
extension ExchangeCore {
    /// Notes that a plugin has set the response's body.
    func noteWrapped(_ body: BodyNode?) {
        guard isProgressWatched, let body, let slot = frame.slot?.index else { return }
        if wrappedProgress == nil { wrappedProgress = WrappedProgress() }
        wrappedProgress?.add(body, of: slot)
    }

    /// Notes a sub-request by the plugin of this slot. If it wraps the response's body, it continues the body.
    func noteSubRequest(by slot: Int) { wrappedProgress?.noteSubRequest(by: slot) }

    /// Reports that the attempt has sent or received bytes.
    func report(_ progress: TransferProgress) {
        wrappedProgress?.last = progress
        emit(.progress, .bytes(progress))
        family.parent?.reportContinued()
    }

    /// Reports the bytes of a body that a plugin continues; does nothing for others.
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

    private var isProgressWatched: Bool {
        !wanted.isDisjoint(with: .close) || pipeline.watchers.isWatchedClosely
    }
}
