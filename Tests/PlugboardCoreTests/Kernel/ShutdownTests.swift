import Plugboard
import PlugboardKit
import PlugboardSystem
import Synchronization
import TestSupport
import Testing

@testable import PlugboardCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct `What a shutdown leaves` {
    @Test func `plugins are told once that the kernel closes, before it waits for exchanges`() async throws {
        let record = Record()
        let (gate, closing) = (Gate(), Gate())
        let plugin = ScriptedPlugin("listener")
        plugin.events = ["closing"]
        plugin.onEvent = { event, exchange in
            record.add("\(event.id) \(exchange == nil)")
            closing.admit()
        }
        plugin.onRequest = { _ in
            gate.admit()
            return .wait {
                try await closing.opened(for: 1)
                return { _ in .next }
            }
        }
        plugin.onClose = { _, _ in record.add("end") }
        plugin.onStop = { record.add("stop") }
        let kernel = try makeKernel([plugin])
        let exchange = kernel.begin(Request(.get, anywhere))
        try await gate.opened(for: 1)

        async let down: Void = kernel.shutDown()
        #expect(try await exchange.response.status == 200)
        await down
        await kernel.shutDown()

        #expect(record.lines == ["closing true", "end", "stop"])
    }

    @Test(.timeLimit(.minutes(1))) func `a second shutdown with a shorter limit shortens the first`() async throws {
        let closing = Gate()
        let plugin = ScriptedPlugin("listener")
        plugin.events = ["closing"]
        plugin.onEvent = { _, _ in closing.open() }
        let transport = MockTransport { _, _ in .silence }
        let kernel = try makeKernel([plugin], transport)
        let exchange = kernel.begin(Request(.get, anywhere))
        try await transport.began.opened()

        async let first: Void = kernel.shutDown(within: .seconds(3600))
        try await closing.opened()
        await kernel.shutDown(within: .zero)
        await first

        let error = await #expect(throws: PlugboardError.self) { try await exchange.response }
        #expect(error?.code == .shutDown)
    }

    @Test func `a sub-request that a plugin begins as the kernel closes is sent and waited for`() async throws {
        let record = Record()
        let late = ScriptedPlugin("late")
        late.events = ["closing"]
        late.onEvent = { [unowned late] _, _ in
            late.host?.send(Request(.get, "http://sub.test/"), for: nil, from: .outermost, isDetached: true) { result in
                switch result {
                case .success(let response): record.add("status \(response.head.status)")
                case .failure(let error): record.add(error.code.name)
                }
            }
        }
        let transport = MockTransport()
        // Another loop might still have to learn that the kernel closes.
        let kernel = try makeKernel([late], transport) { $0.kernel.loops = 1 }

        await kernel.shutDown()

        #expect(record.lines == ["status 200"])
        #expect(transport.requests.map(\.url) == ["http://sub.test/"])
    }

    @Test func `a plugin whose stop blocks is named, and holds neither the shutdown nor others up`() async throws {
        let record = Record()
        let lines = Record()
        let (blocking, stopped) = (Gate(), Gate())
        let inner = ScriptedPlugin("inner", priority: 900)
        inner.onStop = {
            record.add("inner stops")
            try? blocking.wait()
        }
        let outer = ScriptedPlugin("outer", priority: 1)
        outer.onStop = {
            record.add("outer stops")
            stopped.open()
        }
        let kernel = try makeKernel(
            [inner, outer], log: KernelLog(level: .error) { _, source, text in lines.add("\(source): \(text)") })

        let took = await ContinuousClock().measure { await kernel.shutDown(within: .seconds(1)) }
        try await stopped.opened()

        // The plugin blocks for two minutes.
        #expect(took < .seconds(60))
        #expect(record.lines == ["inner stops", "outer stops"])
        let wanted = "inner: The plugin inner is not destroyed: its `stop`"
        #expect(lines.lines.first?.hasPrefix(wanted) == true)
        // On a busy machine the other one, too, may take longer than the tenth of a second that is left for it.
        #expect(lines.lines.filter { $0.hasPrefix("inner:") }.count == 1)
        blocking.open()
    }

    /// Its `stop` waits for a gate, and does not heed cancellation.
    private struct LateStop: Plugin {
        static let manifest = Manifest(
            id: "late", version: "1.0.0", documentation: "Stops late.", priority: 500, hooks: [.request])
        static let gate = Gate()

        init(settings: NoSettings, host: PluginHost) throws {}

        func stop(within: Duration) async {
            await withCheckedContinuation { continuation in
                BlockingThread.start {
                    try? LateStop.gate.wait()
                    continuation.resume()
                }
            }
        }
    }

    @Test func `a plugin whose async stop does not end in time is named and not destroyed`() async throws {
        let lines = Record()
        let kernel = try Kernel(
            configuration: Configuration(plugins: ["late"]), catalog: Catalog([LateStop.descriptor]),
            transport: MockTransport(), log: KernelLog(level: .error) { _, _, text in lines.add(text) })

        await kernel.shutDown(within: .zero)
        let told = lines.lines
        LateStop.gate.open()

        #expect(told.count == 1)
        #expect(told.first?.hasPrefix("The plugin late is not destroyed: its `stop`") == true)
    }

    @Test func `a body that its reader has not read far ends for it when the kernel is gone`() async throws {
        let pieces = Array(repeating: String(repeating: "x", count: 64 << 10), count: 64)
        let kernel = try makeKernel([], MockTransport { _, _ in .respond(200, Fields(), pieces) }) {
            $0.kernel.bufferLimit = .kibibytes(256)
        }
        let response = try await kernel.send(Request(.get, anywhere))
        await kernel.shutDown(within: .zero)

        let error = await #expect(throws: PlugboardError.self) {
            try await response.body.collect(upTo: .mebibytes(16))
        }

        #expect(error?.code == .shutDown)
    }

    @Test func `a command's body whose plugin gives nothing more ends for its reader with the kernel`() async throws {
        final class Silent: BodySource {
            var length: Int? { nil }
            func pull(_ pull: Pull) {}
        }
        let plugin = ScriptedPlugin("a")
        plugin.commands = [CommandDefinition("give", "Gives a body.")]
        plugin.onCommand = { _, _, reply in reply.body(Body(Silent())) }
        let kernel = try makeKernel([plugin])
        guard case .body(let body) = try await kernel.command("a", "give") else {
            throw PlugboardError("test", "The command gave no body.")
        }
        let reading = Task { try await body.text() }
        await kernel.shutDown()

        let open = await #expect(throws: PlugboardError.self) { try await reading.value }
        let late = await #expect(throws: PlugboardError.self) { try await body.text() }

        #expect(open?.code == .shutDown)
        #expect(late?.code == .shutDown)
    }

    @Test func `a request after the shutdown fails at once, also on a thread with the loop's old identity`()
        async throws
    {
        // Threads of other tests may get the identity first.
        var hasMet = false
        for _ in 0..<20 where !hasMet { hasMet = try await sendOnThreadLikeTheLoop() }

        #expect(hasMet)
    }

    /// Sends to a kernel that is shut down, on a thread with the identity that its loop's thread had. False if no
    /// thread got it.
    private func sendOnThreadLikeTheLoop() async throws -> Bool {
        let identity = Mutex<UInt?>(nil)
        let kernel = try makeKernel([])
        let handle = kernel.begin(Request(.get, anywhere)) { _ in identity.withLock { $0 = currentThread() } }
        _ = try await handle.response
        await kernel.shutDown()
        let wanted = identity.withLock { $0 }
        let elsewhere = try await failure(of: kernel, Request(.get, anywhere))
        #expect(elsewhere.code == .shutDown)

        // The system gives a new thread the identity of one that has ended; those that got another one live on, so
        // that the next thread does not get that again.
        var others: [ThreadExecutor] = []
        defer { for executor in others { executor.stop() } }
        for _ in 0..<64 {
            let executor = ThreadExecutor()
            others.append(executor)
            guard executor.identity == wanted else { continue }
            let error = await withTaskExecutorPreference(executor) {
                await #expect(throws: PlugboardError.self) { try await kernel.send(Request(.get, anywhere)) }
            }
            #expect(error?.code == .shutDown)
            return true
        }
        return false
    }
}

private func currentThread() -> UInt {
    #if canImport(Glibc)
        pthread_self()
    #else
        UInt(bitPattern: pthread_self())
    #endif
}

/// Runs tasks on one new thread.
private final class ThreadExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isStopped = false
        var identity: UInt?
    }

    private let state = Mutex(State())
    private let isReady = Gate()
    private let hasJobs = Gate()

    init() {
        _ = BlockingThread.startIfPossible { self.run() }
        try? isReady.wait()
    }

    var identity: UInt? { state.withLock { $0.identity } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        hasJobs.admit()
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        hasJobs.admit()
    }

    private func run() {
        state.withLock { $0.identity = currentThread() }
        isReady.admit()
        var count = 0
        while true {
            count += 1
            try? hasJobs.wait(for: count)
            let (jobs, isStopped) = state.withLock { state in
                defer { state.jobs = [] }
                return (state.jobs, state.isStopped)
            }
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
            if isStopped { return }
        }
    }
}
