import PlugboardKit

/// How a body keeps step with the store.
extension Recording {
    /// A body waits no longer than this for the store: then it flows on unstored.
    private static let patience: Duration = .seconds(1)

    /// Takes what a pull brought.
    func look(_ view: borrowing InnerBody.View) {
        switch view {
        case .bytes(let bytes): take(bytes)
        case .end: end()
        case .broken: discard()
        }
    }

    /// Goes on when the store has room for more, or the patience is over; on the loop, once, and later than this call.
    func whenReady(_ host: PluginHost, _ goOn: @escaping () -> Void) {
        let turn = Once(goOn)
        guard let writer = fullWriter else {
            host.schedule(after: .zero) { turn.run(after: {}) }
            return
        }
        let timer = host.schedule(after: Recording.patience) { turn.run(after: { self.giveUp() }) }
        writer.room {
            host.schedule(after: .zero) { turn.run(after: { timer.cancel() }) }
        }
    }
}

/// Runs something the first time it is asked. Sendable because it is touched on the loop only.
private final class Once: @unchecked Sendable {
    private var action: (() -> Void)?

    init(_ action: @escaping () -> Void) { self.action = action }

    func run(after first: () -> Void) {
        guard let action else { return }
        self.action = nil
        first()
        action()
    }
}
