import Plugboard
import PlugboardJSON
import TestSupport
import Testing

@_spi(QueueStores) @testable import PlugboardQueue

/// Categories, priorities, collapse keys, and requests that the server refuses.
@Suite(.timeLimit(.minutes(2)))
struct QueueOrderTests {
    @Test func `requests of one category are sent in their order, and before a new one`() async throws {
        let shore = try Shore()
        let kernel = try shore.kernel(settings: ["automatic": true, "delay": "1ms", "delayLimit": "1ms"])
        var tickets: [String] = []
        for number in 1...5 {
            tickets.append(try await kernel.sendLater(Shore.post("\(number)", category: "feed")))
        }
        shore.isOnline = true

        let response: Response
        do { response = try await kernel.send(Shore.post("new", category: "feed")) } catch {
            // The network was still thought to be gone: then it is behind the others.
            let ticket = try #require(error.queueTicket)
            _ = try await kernel.queue.outcome(of: ticket)
            #expect(shore.paths == ["/1", "/2", "/3", "/4", "/5", "/new"])
            return await kernel.shutDown()
        }

        #expect(response.status == 200)
        #expect(shore.paths == ["/1", "/2", "/3", "/4", "/5", "/new"])
        await kernel.shutDown()
    }

    @Test(arguments: [QueueMode.onFailure, .journal])
    func `a request of a category with waiting ones is queued behind them while there is no network`(mode: QueueMode)
        async throws
    {
        let shore = try Shore()
        let kernel = try shore.kernel(settings: ["delay": "1h", "delayLimit": "2h"])
        _ = try await Shore.queue(Shore.post("first", category: "c"), in: kernel)
        shore.isOnline = true
        var second = Shore.post("second", category: "c")
        second.queue.mode = mode

        _ = try await Shore.queue(second, in: kernel)
        let before = shore.paths
        try await kernel.queue.replay()

        #expect(before == [])
        #expect(shore.paths == ["/first", "/second"])
        await kernel.shutDown()
    }

    @Test(arguments: [QueueMode.onFailure, .later])
    func `a request that has no room is counted once`(mode: QueueMode) async throws {
        let shore = try Shore()
        let kernel = try shore.kernel(settings: ["automatic": false, "limit": 1])
        _ = try await kernel.sendLater(Shore.post("first"))
        var second = Shore.post("second")
        second.queue.mode = mode

        let error = await #expect(throws: PlugboardError.self) { try await kernel.send(second) }

        #expect(error?.code == (mode == .later ? .queueFull : .transportConnect))
        #expect(kernel.counters["queue.refused"] == 1 && kernel.counters["queue.queued"] == 1)
        await kernel.shutDown()
    }

    @Test func `a greater priority goes first within a category`() async throws {
        let shore = try Shore()
        let kernel = try shore.kernel(settings: ["automatic": false])
        for (name, priority) in [("low", -1), ("first", 0), ("second", 0), ("high", 5)] {
            var request = Shore.post(name, category: "c")
            request.queue.priority = priority
            _ = try await kernel.sendLater(request)
        }
        shore.isOnline = true

        let left = try await kernel.queue.replay()

        #expect(left.waiting == 0 && left.done == 4)
        #expect(shore.paths == ["/high", "/first", "/second", "/low"])
        await kernel.shutDown()
    }

    @Test func `of requests with the same collapse key the last is kept`() async throws {
        let shore = try Shore()
        let kernel = try shore.kernel(settings: ["automatic": false])
        func draft(_ number: Int) -> Request {
            var request = Shore.post("draft\(number)")
            request.queue.collapseKey = "draft"
            return request
        }
        let first = try await kernel.sendLater(draft(1))
        _ = try await kernel.sendLater(draft(2))
        shore.isOnline = true

        try await kernel.queue.replay()

        #expect(shore.paths == ["/draft2"])
        let outcome = try await kernel.queue.outcome(of: first)
        #expect(outcome.state == .done && outcome.code == .queueCollapsed && !outcome.hasSucceeded)
        await kernel.shutDown()
    }

    @Test func `opposites cancel each other out, unless the first may have reached the server`() async throws {
        let shore = try Shore()
        let kernel = try shore.kernel(settings: ["automatic": false])
        func like(_ method: PlugboardKitMethod, _ post: String) -> Request {
            var request = Request(method, "http://a.test/\(post)/like")
            request.queue.collapseKey = "like-\(post)"
            request.queue.collapse = .cancel
            return request
        }
        let liked = try await kernel.sendLater(like(.put, "1"))
        let unliked = try await kernel.sendLater(like(.delete, "1"))
        // The connection breaks after the request was sent.
        shore.rules.withLock { $0.failure = .transportReset }
        _ = try await Shore.queue(like(.put, "2"), in: kernel)
        _ = try await kernel.sendLater(like(.delete, "2"))
        shore.isOnline = true

        try await kernel.queue.replay()

        #expect(shore.done.map { "\($0.method) \($0.path)" } == ["DELETE /2/like"])
        for ticket in [liked, unliked] {
            #expect(try await kernel.queue.outcome(of: ticket).code == .queueCollapsed)
        }
        await kernel.shutDown()
    }

    @Test func `opposites do not cancel each other out if an attempt before the last may have arrived`() async throws {
        let shore = try Shore()
        shore.rules.withLock { $0.failure = .transportReset }
        let again = ScriptedPlugin("again", priority: 500)
        again.onFailure = { exchange in
            shore.rules.withLock { $0.failure = .transportConnect }
            return exchange.attempt == 1 ? .resend() : .next
        }
        let kernel = try shore.kernel(settings: ["automatic": false], beside: [again])
        func like(_ method: PlugboardKitMethod) -> Request {
            var request = Request(method, "http://a.test/like")
            request.queue.collapseKey = "like"
            request.queue.collapse = .cancel
            return request
        }

        _ = try await Shore.queue(like(.put), in: kernel)
        _ = try await kernel.sendLater(like(.delete))
        shore.isOnline = true
        try await kernel.queue.replay()

        #expect(shore.done.map(\.method) == ["DELETE"])
        await kernel.shutDown()
    }

    @Test func `opposites do not cancel each other out if an earlier attempt of a replay may have arrived`()
        async throws
    {
        let shore = try Shore()
        let again = ScriptedPlugin("again", priority: 500)
        again.onFailure = { exchange in
            shore.rules.withLock { $0.failure = .transportConnect }
            return exchange.attempt == 1 ? .resend() : .next
        }
        let kernel = try shore.kernel(
            settings: ["automatic": false, "delay": "1h", "delayLimit": "2h"], beside: [again])
        func like(_ method: PlugboardKitMethod) -> Request {
            var request = Request(method, "http://a.test/like")
            request.queue.collapseKey = "like"
            request.queue.collapse = .cancel
            return request
        }
        _ = try await kernel.sendLater(like(.put))
        // The first attempt of the replay breaks, and the second finds no network.
        shore.rules.withLock { $0.failure = .transportReset }
        try await kernel.queue.replay()

        _ = try await kernel.sendLater(like(.delete))
        shore.isOnline = true
        try await kernel.queue.replay()

        #expect(shore.done.map(\.method) == ["DELETE"])
        await kernel.shutDown()
    }

    @Test func `a request that is dropped for a later one has an outcome, and is told of`() async throws {
        let shore = try Shore()
        let events = Record()
        let kernel = try shore.kernel(settings: ["automatic": false, "limit": 2, "whenFull": "dropOldest"]) { event in
            if event.id == "queue.dropped" { events.add("\(event["id"] ?? "") \(event["code"] ?? "")") }
        }
        for name in ["a", "b", "c"] {
            var request = Shore.post(name, category: "feed")
            request.queue.id = name
            _ = try await kernel.sendLater(request)
        }

        let outcome = try await kernel.queue.outcome(of: "a")
        shore.isOnline = true
        try await kernel.queue.replay()

        #expect(outcome.state == .done && outcome.code == .queueFull && !outcome.hasSucceeded)
        #expect(events.lines == ["a queue.full"])
        #expect(shore.paths == ["/b", "/c"])
        await kernel.shutDown()
    }

    @Test func `a request that the server refuses again and again is dead, and can be sent again by hand`() async throws
    {
        let shore = try Shore()
        shore.isOnline = true
        shore.respond("/bad", 422, 422, 422, 200)
        let kernel = try shore.kernel(settings: ["delay": "1ms", "delayLimit": "1ms", "rejections": 3])
        let ticket = try await kernel.sendLater(Shore.post("bad", category: "c"))
        let next = try await kernel.sendLater(Shore.post("next", category: "c"))

        let outcome = try await kernel.queue.outcome(of: ticket)
        _ = try await kernel.queue.outcome(of: next)
        let dead = try await kernel.queue.dead()
        try await kernel.queue.replay(id: ticket)
        let revived = try await kernel.queue.outcome(of: ticket)

        #expect(outcome.state == .dead && outcome.code == .queueRejected && outcome.status == 422)
        #expect(dead.map(\.id) == [ticket])
        #expect(revived.hasSucceeded)
        #expect(
            shore.requests.lines == [
                "POST /bad", "POST /bad", "POST /bad", "POST /next", "POST /bad",
            ])
        await kernel.shutDown()
    }
}

typealias PlugboardKitMethod = PlugboardCore.Method
