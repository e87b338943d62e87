import Dispatch
import Glibc
import PlugboardEndpoints
import PlugboardMessages
import PlugboardTesting
import Synchronization
import TestSupport
import Testing

/// Where callbacks run, and that their order does not depend on it.
@Suite struct ExecutorTests {
    private func client(_ executor: CallbackExecutor) throws -> Client {
        var settings = ClientSettings(base: "https://a.test")
        settings.callbackExecutor = executor
        return Client(
            kernel: try Kernel(transport: ScriptedTransport { _, _ in .respond(200, body: .text("[]")) }),
            settings: settings)
    }

    /// The lines that callbacks of one call add, when all have run.
    private func lines(
        _ client: Client, executor: CallbackExecutor? = nil, _ note: @escaping @Sendable (String) -> String
    ) async throws -> [String] {
        let (order, gate) = (Record(), Gate())
        client.call(TopicList(board: "a"), executor: executor, isStarted: false)
            .onFinished { _ in
                order.add(note("finished"))
                gate.open()
            }
            .onCompletion { _ in order.add(note("completion")) }
            .onSuccess { _ in order.add(note("success")) }
            .start()
        try await gate.opened()
        return order.lines
    }

    private static let all = ["success", "completion", "finished"]

    @Test func `callbacks run on the main actor`() async throws {
        let lines = try await lines(client(.mainActor)) { name in
            MainActor.assumeIsolated { name }
        }

        #expect(lines == ExecutorTests.all)
    }

    @Test func `callbacks run on a task executor`() async throws {
        let client = try client(.immediate)
        let loop = client.kernel.executor

        let thread = await Task(executorPreference: loop) { pthread_self() }.value
        let lines = try await lines(client, executor: .task(loop)) { "\($0) \(pthread_self() == thread)" }

        #expect(lines == ExecutorTests.all.map { "\($0) true" })
    }

    private final class QueueExecutor: SerialExecutor {
        let queue = DispatchQueue(label: "actor")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    @Test func `callbacks run on the executor of an actor`() async throws {
        let executor = QueueExecutor()

        let lines = try await lines(client(.serial(executor))) { name in
            dispatchPrecondition(condition: .onQueue(executor.queue))
            return name
        }

        #expect(lines == ExecutorTests.all)
    }

    @Test func `callbacks run on a queue that a closure gives them to`() async throws {
        let queue = DispatchQueue(label: "callbacks")

        let lines = try await lines(client(CallbackExecutor { queue.async(execute: $0) })) { name in
            dispatchPrecondition(condition: .onQueue(queue))
            return name
        }

        #expect(lines == ExecutorTests.all)
    }

    @Test func `callbacks keep their order on an executor with many threads`() async throws {
        let executor = CallbackExecutor { job in DispatchQueue.global().async(execute: job) }

        for _ in 0..<50 {
            #expect(try await lines(client(executor)) { $0 } == ExecutorTests.all)
        }
    }

    @Test func `a value is there before the executor has run a callback`() async throws {
        let jobs = Mutex<[@Sendable () -> Void]>([])
        let order = Record()
        let call = try client(CallbackExecutor { job in jobs.withLock { $0.append(job) } })
            .call(TopicList(board: "a")).onSuccess { _ in order.add("success") }

        _ = try await call.value
        call.onFinished { _ in order.add("finished") }
        let before = order.lines
        let waiting = jobs.withLock { jobs in (jobs, jobs = []).0 }
        for job in waiting { job() }

        #expect(before == [])
        #expect(waiting.count == 1)
        #expect(order.lines == ["success", "finished"])
    }

    @MainActor private final class Screen {
        private(set) var lines: [String] = []
        func add(_ line: String) { lines.append(line) }
        func show(_ topics: [Topic]) { add("success") }
    }

    @Test(arguments: [CallbackExecutor.immediate, .mainActor])
    func `closures of the main actor run on it, in the order of all callbacks`(executor: CallbackExecutor) async throws
    {
        let (order, gate) = (Record(), Gate())
        let screen = Screen()

        try client(executor).call(TopicList(board: "a"), isStarted: false)
            .onFinished { @MainActor state in
                screen.add("\(state)")
                gate.open()
            }
            .onCompletion(on: .shared) { _ in screen.add("completion after \(order.lines)") }
            .onSuccess(screen.show)
            .onSuccess { _ in order.add("executor") }
            .start()
        try await gate.opened()

        #expect(await screen.lines == ["success", "completion after [\"executor\"]", "succeeded"])
    }
}
