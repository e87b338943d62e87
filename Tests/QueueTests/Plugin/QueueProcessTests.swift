import Plugboard
import PlugboardJSON
import TestSupport
import Testing

@_spi(QueueStores) @testable import PlugboardQueue

/// The order of a category where another process has written to the file, and where several exchanges wait.
@Suite(.timeLimit(.minutes(2)))
struct QueueProcessTests {
    @Test(
        .enabled(if: WriterProcess.variable("PLUGBOARD_TEST_OTHER") == nil),
        arguments: [QueueMode.onFailure, .journal])
    func `a new request is behind those that another process has queued in its category`(mode: QueueMode) async throws {
        let shore = try Shore()
        shore.isOnline = true
        let kernel = try shore.kernel()
        _ = try await kernel.send(Shore.post("first", category: "feed"))
        let other = try await WriterProcess.run(
            "QueueOtherRun", ["PLUGBOARD_TEST_OTHER": shore.folder.file("queue.sqlite")])
        var new = Shore.post("new", category: "feed")
        new.queue.mode = mode

        let response = try await kernel.send(new)

        #expect(other.status == 0, "\(other.stdout) \(other.stderr)")
        #expect(response.status == 200)
        #expect(shore.paths == ["/first", "/1", "/2", "/3", "/new"])
        await kernel.shutDown()
    }

    @Test(arguments: [QueueMode.onFailure, .journal])
    func `exchanges that wait for one category are sent one after the other`(mode: QueueMode) async throws {
        let shore = try Shore()
        let writer = try shore.kernel(settings: ["automatic": false])
        _ = try await writer.sendLater(Shore.post("0", category: "c"))
        shore.isOnline = true
        let holder = Holder("0")
        let kernel = try shore.kernel(beside: [holder.plugin])
        try await holder.came.opened(for: 1)

        let requests = (1...5).map { number in
            var request = Shore.post("\(number)", category: "c")
            request.queue.mode = mode
            return request
        }
        let handles = await Shore.begin(requests, in: kernel)
        // All of them have asked the file, have its reply, and wait.
        _ = try await kernel.send(Request(.get, "http://a.test/x"))
        _ = try await kernel.queue.statistics()
        _ = try await kernel.send(Request(.get, "http://a.test/x"))
        holder.release("0")
        for handle in handles { #expect(try await handle.response.body.text() == "carried out") }

        let expected = (0...5).flatMap { ["begin \($0)", "end \($0)"] }
        #expect(holder.steps.lines.filter { !$0.hasSuffix("x") } == expected)
        for kernel in [writer, kernel] { await kernel.shutDown() }
    }

    @Test func `a shutdown sends what is under way, and leaves the rest to the next process`() async throws {
        let (shore, count) = (try Shore(), 40)
        let writer = try shore.kernel(settings: ["automatic": false])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count { group.addTask { _ = try await writer.sendLater(Shore.post("\(number)")) } }
            try await group.waitForAll()
        }
        await writer.shutDown()
        shore.isOnline = true
        let (came, gate) = (Gate(), Gate())
        let holder = ScriptedPlugin("holder", priority: 500)
        holder.onRequest = { exchange in
            came.admit()
            // The origin responds to the first; then as many are sent at once as may be.
            let turn = came.admitted == 1 ? 1 : 2
            return .wait {
                try await gate.opened(for: turn)
                return { _ in .next }
            }
        }
        let kernel = try shore.kernel(settings: ["concurrency": 4], beside: [holder]) { event in
            if event.id == "closing" { gate.open() }
        }
        try await came.opened(for: 1)
        gate.admit()
        try await came.opened(for: 5)

        await kernel.shutDown()

        let sent = shore.paths.count
        let last = try shore.kernel(settings: ["automatic": false])
        let left = try await last.queue.statistics()
        #expect(sent == 5)
        #expect(left.sending == 0 && left.done == sent && left.waiting == count - sent)
        await last.shutDown()
    }

    @Test func `exchanges that wait for a category are queued at once when the kernel closes`() async throws {
        let shore = try Shore()
        let writer = try shore.kernel(settings: ["automatic": false])
        _ = try await writer.sendLater(Shore.post("0", category: "c"))
        shore.isOnline = true
        let holder = Holder("0")
        let kernel = try shore.kernel(beside: [holder.plugin])
        try await holder.came.opened(for: 1)
        let waiting = kernel.begin(Shore.post("1", category: "c"))

        async let closing: Void = kernel.shutDown()
        let error = await #expect(throws: PlugboardError.self) { try await waiting.response }
        holder.release("0")
        await closing

        #expect(error?.code == .queued)
        #expect(shore.paths == ["/0"])
        #expect(try await writer.queue.statistics().waiting == 1)
        await writer.shutDown()
    }
}

/// The other process.
@Suite(.enabled(if: WriterProcess.variable("PLUGBOARD_TEST_OTHER") != nil), .timeLimit(.minutes(1)))
struct QueueOtherRun {
    @Test func `a process that queues and ends`() async throws {
        let file = try #require(WriterProcess.variable("PLUGBOARD_TEST_OTHER"))
        let kernel = try Kernel(
            plugins: [
                .queue {
                    $0.path = file
                    $0.automatic = false
                }
            ], log: .silent)
        for number in 1...3 { _ = try await kernel.sendLater(Shore.post("\(number)", category: "feed")) }
        await kernel.shutDown()
    }
}
