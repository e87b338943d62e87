import Plugboard
import PlugboardEndpoints
import PlugboardJSON
import PlugboardTesting
import Synchronization
import TestSupport
import Testing

/// Calls whose request the plugin `queue` keeps and sends later.
@Suite(.timeLimit(.minutes(2))) struct QueuedCallTests {
    struct Like: Endpoint {
        typealias Response = Void
        var method: Method { .post }
        var path: String { "likes" }
    }

    /// The status of the server; nil while there is no network.
    private final class Reach: Sendable {
        let status = Mutex<Int?>(nil)
    }

    /// A client whose server can be reached, or not.
    private struct Network {
        let client: Client
        private let reach = Reach()
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder("queue")
            let settings: JSONObject = ["path": .string(folder.file("queue.sqlite")), "automatic": false]
            let kernel = try Kernel(
                configuration: Configuration(plugins: [PluginEntry(id: "queue", path: nil, settings: settings)]),
                catalog: Catalog([queuePlugin()]),
                transport: ScriptedTransport { [reach] _, _ in
                    guard let status = reach.status.withLock({ $0 }) else {
                        return .fail(PlugboardError(.transportConnect, "There is no network."))
                    }
                    return .respond(status, body: .text("liked"))
                }, log: .silent)
            client = Client(kernel: kernel, settings: ClientSettings(base: "http://a.test/"))
        }

        /// The server is there, and responds with this status.
        func comeBack(_ status: Int = 201) { reach.status.withLock { $0 = status } }
        func deliver() async throws { try await client.kernel.queue.replay() }
    }

    /// Attaches a callback, and returns what it is called with.
    private func outcome(
        of call: Call<Void>
    ) -> AsyncStream<Result<QueuedRequest, PlugboardError>>.AsyncIterator {
        let (stream, input) = AsyncStream<Result<QueuedRequest, PlugboardError>>.makeStream()
        call.onQueueOutcome { result in
            input.yield(result)
            input.finish()
        }
        return stream.makeAsyncIterator()
    }

    @Test func `a queued call learns that its request was carried out, also afterwards`() async throws {
        let network = try Network()
        let call = network.client.call(Like(), isStarted: false)
        var early = outcome(of: call)

        call.start()
        await call.ended()
        let listed = network.client.calls.count
        network.comeBack()
        async let outcome = call.queueOutcome
        try await network.deliver()
        let delivered = try await outcome
        let told = await early.next()
        var late = self.outcome(of: call)
        let toldLate = await late.next()

        #expect(call.state == .queued && listed == 0)
        #expect(delivered?.hasSucceeded == true && delivered?.status == 201 && delivered?.responseBody?.text == "liked")
        #expect(delivered?.id == call.error?.queueTicket)
        #expect(try told?.get().hasSucceeded == true && toldLate?.get().id == delivered?.id)
        await network.client.kernel.shutDown()
    }

    @Test @MainActor func `a callback of the main actor is called there`() async throws {
        let network = try Network()
        let call = network.client.call(Like())
        let (stream, input) = AsyncStream<Int?>.makeStream()
        call.onQueueOutcome { @MainActor result in
            MainActor.assertIsolated()
            input.yield(try? result.get().status)
        }

        await call.ended()
        network.comeBack()
        try await network.deliver()
        var statuses = stream.makeAsyncIterator()

        #expect(await statuses.next() == 201)
        await network.client.kernel.shutDown()
    }

    @Test func `a queued call learns that its request is not sent any more`() async throws {
        let network = try Network()
        let call = network.client.call(Like())
        var told = outcome(of: call)

        await call.ended()
        let dropped = try await network.client.kernel.queue.drop(id: call.error?.queueTicket)
        let error = await #expect(throws: PlugboardError.self) { try await call.queueOutcome }

        #expect(dropped == 1 && error?.code == .queueUnknown)
        let result = await told.next()
        #expect(throws: PlugboardError.self) { try result?.get() }
        await network.client.kernel.shutDown()
    }

    @Test func `a call that is not queued has no such outcome, and releases the callback`() async throws {
        let network = try Network()
        network.comeBack()
        var held: Held? = Held()
        weak let released = held
        let call = network.client.call(Like(), isStarted: false).onQueueOutcome { [held] _ in
            held?.use()
            Issue.record("The request was not queued.")
        }
        held = nil

        let outcome = try await call.queueOutcome

        #expect(outcome == nil && call.state == .succeeded)
        #expect(released == nil)
        await network.client.kernel.shutDown()
    }

    @Test func `the end of the kernel ends the wait for an outcome`() async throws {
        let network = try Network()
        let call = network.client.call(Like())
        var told = outcome(of: call)

        await call.ended()
        await network.client.kernel.shutDown()
        let result = await told.next()

        #expect(throws: PlugboardError.self) { try result?.get() }
    }
}
