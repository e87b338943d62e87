import Plugboard
import PlugboardEventLoop
import PlugboardJSON
import TestSupport
import Testing

@_spi(QueueStores) @testable import PlugboardQueue

/// When requests are sent again: by a clock that the test moves.
@Suite(.timeLimit(.minutes(2)))
struct ReplayTests {
    /// Waits until a condition holds, which work on other threads brings about.
    private func until(_ condition: () async throws -> Bool) async throws {
        while try await !condition() { await Task.yield() }
    }

    @Test func `an outage costs one request for each wait, and the waits double`() async throws {
        let shore = try Shore(isManual: true)
        let clock = try #require(shore.clock)
        let kernel = try shore.kernel(settings: ["delay": "8s", "delayLimit": "32s", "concurrency": 8])
        for number in 0..<20 { _ = try await kernel.sendLater(Shore.post("\(number)")) }
        try await shore.attempts.opened(for: 1)

        // The waits are from 4 to 8, from 8 to 16, and then from 16 to 32 seconds.
        var times: [Int] = []
        for second in 1...80 {
            try await settled(kernel)
            let before = shore.attempts.admitted
            clock.advance(by: .seconds(1))
            try await settled(kernel)
            if shore.attempts.admitted > before { times.append(second) }
        }

        #expect(shore.attempts.admitted == 1 + times.count)
        let waits = zip(times, [0] + times).map { $0 - $1 }
        for (index, wait) in waits.enumerated() {
            let longest = min(8 << index, 32)
            #expect((longest / 2...longest + 1).contains(wait), "\(waits)")
        }
        #expect(times.count >= 3)
        await kernel.shutDown()
    }

    /// All work of the queue that was begun is done: nothing is being sent, and commands were answered after it.
    private func settled(_ kernel: Kernel) async throws {
        for _ in 0..<3 {
            try await until { try await kernel.queue.statistics().sending == 0 }
            await kernel.onLoop()
        }
    }

    @Test func `after the first response requests are sent side by side, up to the limit`() async throws {
        let shore = try Shore()
        shore.isOnline = true
        let gate = Gate()
        let running = Record()
        let holder = ScriptedPlugin("holder", priority: 500)
        holder.onRequest = { exchange in
            let path = exchange.request.url
            running.add(path)
            if path.hasSuffix("/0") { return .next }
            return .wait {
                try await gate.opened(for: 1)
                return { _ in .next }
            }
        }
        let kernel = try shore.kernel(settings: ["concurrency": 3, "automatic": false], beside: [holder])
        var tickets: [String] = []
        for number in 0..<10 { tickets.append(try await kernel.sendLater(Shore.post("\(number)"))) }

        async let left = kernel.queue.replay()
        try await until { running.lines.count == 4 }
        let sending = try await kernel.queue.statistics().sending
        gate.open()

        #expect(sending == 3)
        #expect(try await left.done == 10)
        #expect(Set(shore.paths) == Set((0..<10).map { "/\($0)" }))
        await kernel.shutDown()
    }

    @Test func `a probe is sent first, and nothing else until it succeeds`() async throws {
        let shore = try Shore()
        shore.isOnline = true
        shore.respond("/ready", 503, 503, 204)
        let kernel = try shore.kernel(settings: [
            "probe": "http://a.test/ready", "delay": "1ms", "delayLimit": "2ms",
        ])

        let ticket = try await kernel.sendLater(Shore.post("a"))
        _ = try await kernel.queue.outcome(of: ticket)

        #expect(Array(shore.requests.lines.suffix(2)) == ["GET /ready", "POST /a"])
        #expect(shore.requests.lines.filter { $0 == "GET /ready" }.count == 3)
        await kernel.shutDown()
    }

    @Test func `a failure of the server makes one request wait, not others`()
        async throws
    {
        let shore = try Shore(isManual: true)
        let clock = try #require(shore.clock)
        shore.isOnline = true
        shore.respond("/busy", 500, 500, 200)
        let kernel = try shore.kernel(settings: ["delay": "8s"])

        let busy = try await kernel.sendLater(Shore.post("busy"))
        let other = try await kernel.sendLater(Shore.post("other"))
        _ = try await kernel.queue.outcome(of: other)
        try await settled(kernel)
        let waiting = try await kernel.queue.list(id: busy)
        var seconds = 0
        while try await kernel.queue.list(id: busy).first?.state != .done, seconds < 60 {
            clock.advance(by: .seconds(1))
            try await settled(kernel)
            seconds += 1
        }

        #expect(waiting.first?.attempts == 1 && waiting.first?.state == .waiting)
        // From 4 to 8, and from 8 to 16 seconds.
        #expect((12...25).contains(seconds), "\(seconds)")
        await kernel.shutDown()
    }

    @Test func `a server that is overloaded gets one request for each wait`() async throws {
        let shore = try Shore(isManual: true)
        let clock = try #require(shore.clock)
        shore.isOnline = true
        for number in 0..<10 { shore.respond("/\(number)", 503, 200) }
        let kernel = try shore.kernel(settings: ["delay": "8s", "concurrency": 4])

        for number in 0..<10 { _ = try await kernel.sendLater(Shore.post("\(number)")) }
        try await shore.attempts.opened(for: 1)
        for _ in 0..<3 {
            clock.advance(by: .seconds(1))
            try await settled(kernel)
        }

        // The wait is at least 4 seconds.
        #expect(shore.attempts.admitted == 1)
        #expect(try await kernel.queue.statistics().waiting == 10)
        await kernel.shutDown()
    }

    @Test func `a request that is replayed by its ticket is the only one that is sent`() async throws {
        let shore = try Shore()
        let kernel = try shore.kernel(settings: ["automatic": false])
        for name in ["a", "b", "c"] {
            var request = Shore.post(name)
            request.queue.id = name
            _ = try await kernel.sendLater(request)
        }
        shore.isOnline = true

        let left = try await kernel.queue.replay(id: "b")

        #expect(shore.paths == ["/b"])
        #expect(left.waiting == 2 && left.done == 1)
        await kernel.shutDown()
    }

    @Test func `two processes on one file send each request once, and one finishes what the other leaves`() async throws
    {
        let shore = try Shore()
        let writer = try shore.kernel(settings: ["automatic": false])
        for number in 0..<60 {
            _ = try await writer.sendLater(Shore.post("\(number)", category: number % 3 == 0 ? "c" : nil))
        }
        shore.isOnline = true

        let (left, right) = (
            try shore.kernel(settings: ["concurrency": 8]), try shore.kernel(settings: ["concurrency": 8])
        )
        async let one = left.queue.replay()
        async let two = right.queue.replay()
        _ = try await (one, two)
        try await until { try await writer.queue.statistics().done == 60 }

        #expect(shore.paths.count == 60 && Set(shore.paths).count == 60)
        #expect(Set(shore.done.map(\.key)).count == 60)
        let ordered = shore.paths.compactMap { Int($0.dropFirst()) }.filter { $0 % 3 == 0 }
        #expect(ordered == ordered.sorted())
        for kernel in [writer, left, right] { await kernel.shutDown() }
    }

    @Test func `an outcome is told to a command that waits in another process`() async throws {
        let shore = try Shore()
        let asking = try shore.kernel(settings: ["automatic": false, "lease": "1s"])
        let ticket = try await asking.sendLater(Shore.post("a"))

        let early = try await asking.queue.outcome(of: ticket, within: .milliseconds(1))
        async let outcome = asking.queue.outcome(of: ticket)
        shore.isOnline = true
        let sender = try shore.kernel()

        #expect(early.state == .waiting)
        #expect(try await outcome.hasSucceeded)
        for kernel in [asking, sender] { await kernel.shutDown() }
    }

    @Test func `the events say what happens, and watch hands them out as lines`() async throws {
        let shore = try Shore()
        let events = Record()
        let kernel = try shore.kernel(settings: ["automatic": false]) { event in
            if event.id.hasPrefix("queue.") { events.add("\(event.id)") }
        }
        guard case .body(let body) = try await kernel.command("queue", "watch", "{}") else {
            return #expect(Bool(false))
        }
        var request = Shore.post("a", category: "c")
        request.queue.id = "one"
        _ = try await kernel.sendLater(request)
        shore.isOnline = true
        try await kernel.queue.replay()
        let lines = Task {
            var text = ""
            for try await piece in body {
                text += piece.text
                if text.contains("succeeded") { break }
            }
            return text
        }
        try await until { events.lines.count >= 2 }
        let text = try await lines.value

        #expect(
            text == """
                {"event":"queue.queued","id":"one","category":"c"}
                {"event":"queue.replaying","id":"one","category":"c"}
                {"event":"queue.succeeded","id":"one","status":"200","category":"c"}

                """)
        await kernel.shutDown()
        #expect(kernel.counters["queue.queued"] == 1 && kernel.counters["queue.succeeded"] == 1)
    }

    @Test func `a clock that is set back or forward loses no request and delays none for long`() async throws {
        let shore = try Shore(isManual: true)
        let clock = try #require(shore.clock)
        shore.isOnline = true
        shore.respond("/a", 503, 503, 200)
        let kernel = try shore.kernel(settings: ["delay": "2s"])
        let ticket = try await kernel.sendLater(Shore.post("a"))
        try await until { try await kernel.queue.list(id: ticket).first?.attempts == 1 }
        try await settled(kernel)

        clock.setWallClock(.seconds(1_000_000_000))
        clock.advance(by: .seconds(400))
        try await until { try await kernel.queue.list(id: ticket).first?.attempts == 2 }
        try await settled(kernel)
        clock.setWallClock(.seconds(1_900_000_000))
        clock.advance(by: .seconds(400))

        #expect(try await kernel.queue.outcome(of: ticket).hasSucceeded)
        await kernel.shutDown()
    }
}

extension Kernel {
    /// Returns when the loop has done what was there before.
    fileprivate func onLoop() async { _ = try? await command("queue", "stats", "{}") }
}
