import PlugboardBorder

/// One exchange under way, as the program that began it sees it. From any thread.
///
/// When the last reference is released, the exchange continues until the response's head has come, and then ends.
public final class ExchangeHandle: Sendable {
    private let exchange: ExchangeCore
    private let outcome: ProgramOutcome

    init(_ exchange: ExchangeCore, _ outcome: ProgramOutcome) {
        self.exchange = exchange
        self.outcome = outcome
    }

    deinit { outcome.abandon() }

    /// The response, when its head has come through the plugins. Awaited once.
    ///
    /// Cancelling the task cancels the exchange, and throws a `PlugboardError` of the code `cancelled`, never a
    /// `CancellationError`.
    public var response: Response {
        get async throws(PlugboardError) { try await outcome.response(of: exchange) }
    }

    /// Ends the exchange; tasks that wait for it get the error `cancelled`. Does nothing when the exchange has ended.
    public func cancel() { exchange.requestCancel() }

    /// Stops hooks, the network and wait deadlines until `resume`. The exchange's own timeout keeps running.
    public func suspend() {
        let exchange = exchange
        exchange.loop.enqueue { exchange.suspend() }
    }

    /// Resumes a suspended exchange; does nothing otherwise.
    public func resume() {
        let exchange = exchange
        exchange.loop.enqueue { exchange.resume() }
    }
}
