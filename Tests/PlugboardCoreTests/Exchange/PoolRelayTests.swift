import PlugboardMessages
import Testing

@testable import PlugboardCore

@Suite(.timeLimit(.minutes(1))) struct PoolRelayTests {
    @Test func `a relay that waits keeps no response that it has handed over`() async throws {
        let relay = PoolRelay(.medium)
        weak var body: EmptySource?

        do {
            let source = EmptySource()
            body = source
            let outcome = await withUnsafeContinuation { continuation in
                let response = Response(head: ResponseHead(status: 200), body: Body(source))
                relay.resume([OutcomeBatch.Ready(outcome: .success(response), continuation: continuation)])
            }
            #expect((try? outcome.get())?.status == 200)
        }

        // The time limit ends this if it is kept.
        while body != nil {
            try Task.checkCancellation()
            await Task.yield()
        }
        relay.end()
    }
}

private final class EmptySource: BodySource {
    var length: Int? { 0 }
    func pull(_ pull: Pull) { pull.complete(.end(trailers: Fields())) }
    func release() {}
}
