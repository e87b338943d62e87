import Plugboard
import PlugboardKit
import Synchronization

/// Sends the requests of one download or upload: prints their events, ends those that are too slow, and keeps what
/// `TransferReport` writes at the end.
final class ObservedSender: RequestSender {
    private struct State {
        var heads: [ResponseHead] = []
        /// The observer and the facts of the last request; nil before the first.
        var last: (observer: ExchangeObserver, facts: WriteOut.Facts)?
    }

    private let kernel: Kernel
    private let report: TransferReport
    private let began = ContinuousClock.now
    private let state = Mutex(State())

    init(_ kernel: Kernel, _ report: TransferReport) { (self.kernel, self.report) = (kernel, report) }

    func options(of request: Request) -> RequestOptions { kernel.options(of: request) }

    nonisolated(nonsending) func send(_ request: Request) async throws(PlugboardError) -> Response {
        try await send(request) { _ in }
    }

    nonisolated(nonsending) func send(
        _ request: Request, watch: @escaping @Sendable (RequestNotice) -> Void
    ) async throws(PlugboardError) -> Response {
        // The report has read the values already, so that none is wrong.
        let slow = try? SlowTransfer(report.group)
        let observer = ExchangeObserver(
            isVerbose: report.isVerbose, showsSecrets: report.showsSecrets, progress: nil, slow: slow)
        state.withLock { $0.last = (observer, WriteOut.Facts(request: request, url: request.url)) }
        let exchange = kernel.begin(request) { event in
            observer.hear(event)
            if let notice = RequestNotice(event) { watch(notice) }
        }
        slow?.cancels { exchange.cancel() }
        let response = try await exchange.response
        state.withLock { state in
            state.heads += observer.earlierHeads + [response.head]
            state.last?.facts.response = response.head
            state.last?.facts.url = response.url
        }
        return response
    }

    /// The failure of the last request if it was too slow.
    var slowness: CommandFailure? { state.withLock { $0.last?.observer.slow?.failure } }

    /// Writes the report of the whole transfer.
    ///
    /// - Parameter change: Adds what the transfer itself knows.
    func end(
        _ failure: CommandFailure? = nil, _ change: (inout WriteOut.Facts) -> Void = { _ in }
    ) throws(CommandFailure) {
        let state = state.withLock { $0 }
        guard let last = state.last else { return }
        var facts = last.observer.completed(last.facts)
        facts.failure = failure
        facts.total = .now - began
        change(&facts)
        try report.end(facts, state.heads)
    }
}
