import Plugboard
import TestSupport

/// A kernel that never lets go of the functions that watch its requests.
final class HoardingSender: RequestSender {
    func options(of request: Request) -> RequestOptions { request.options }

    private let kernel: Kernel
    private let watches = Locked<[@Sendable (RequestNotice) -> Void]>([])

    init() throws { kernel = try Kernel() }

    var count: Int { watches.withLock { $0.count } }

    nonisolated(nonsending) func send(_ request: Request) async throws(PlugboardError) -> Response {
        try await kernel.send(request)
    }

    nonisolated(nonsending) func send(
        _ request: Request, watch: @escaping @Sendable (RequestNotice) -> Void
    ) async throws(PlugboardError) -> Response {
        watches.withLock { $0.append(watch) }
        return try await kernel.send(request, watch: watch)
    }
}
