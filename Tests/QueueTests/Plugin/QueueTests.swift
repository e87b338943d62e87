import Foundation
import Plugboard
import PlugboardJSON
import TestSupport
import Testing

@_spi(QueueStores) @testable import PlugboardQueue

/// Keeping requests, and delivering them, linked and loaded.
@Suite(.timeLimit(.minutes(2)))
struct QueueTests {
    @Test(arguments: Linkage.allCases)
    func `a request without a network is queued, and delivered by the next process`(linkage: Linkage) async throws {
        let shore = try Shore()
        let first = try shore.kernel(linkage)
        let ticket = try await Shore.queue(Shore.post("a"), in: first)
        await first.shutDown()
        shore.isOnline = true

        let second = try shore.kernel(linkage)
        let outcome = try await second.queue.outcome(of: ticket)

        #expect(outcome.hasSucceeded && outcome.status == 200)
        #expect(outcome.responseBody?.text == "carried out")
        #expect(outcome.responseFields["content-type"] == "text/plain")
        #expect(shore.paths == ["/a"])
        await second.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `the caller gets the code queued, and a ticket`(linkage: Linkage) async throws {
        let shore = try Shore()
        let kernel = try shore.kernel(linkage)

        let error = await #expect(throws: PlugboardError.self) { try await kernel.send(Shore.post("a")) }

        #expect(error?.code == .queued && error?.plugin == "queue")
        #expect(error?.queueTicket?.count == 36)
        #expect(try await kernel.queue.list().map(\.id) == [error?.queueTicket])
        await kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `an outcome is delivered until it is acknowledged, also to the next process`(linkage: Linkage) async throws {
        let shore = try Shore()
        shore.isOnline = true
        let first = try shore.kernel(linkage)
        let ticket = try await first.sendLater(Shore.post("a"))
        _ = try await first.queue.outcome(of: ticket)
        let again = try await first.queue.outcome(of: ticket)
        await first.shutDown()

        let second = try shore.kernel(linkage)
        let later = try await second.queue.outcomes()
        let count = try await second.queue.acknowledge([ticket])

        #expect(again.hasSucceeded && later.map(\.id) == [ticket] && later[0].hasSucceeded)
        #expect(count == 1)
        #expect(try await second.queue.outcomes().isEmpty)
        await #expect(throws: PlugboardError.self) { try await second.queue.outcome(of: ticket) }
        await second.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `sendLater returns before the request is sent, and the body is delivered whole`(linkage: Linkage) async throws
    {
        let shore = try Shore()
        let server = try LoopbackServer.responding { _ in ServerResponse(status: 201) }
        let kernel = try linkage.kernel(
            queuePlugin(), settings: ["path": .string(shore.folder.file("q.sqlite"))], network: .system)
        let pieces = AsyncStream<Bytes> { continuation in
            for number in 0..<40 { continuation.yield(Bytes([UInt8](repeating: UInt8(number), count: 20_000))) }
            continuation.finish()
        }
        var request = Request(.post, server.url("/big"), body: .stream(pieces))
        request["X-Kind"] = "big"

        let ticket = try await kernel.sendLater(request)
        let outcome = try await kernel.queue.outcome(of: ticket)

        let received = server.requests.last
        #expect(outcome.status == 201)
        #expect(received?.body == (0..<40).flatMap { [UInt8](repeating: UInt8($0), count: 20_000) })
        #expect(received?["X-Kind"] == "big" && received?["Content-Length"] == "800000")
        await kernel.shutDown()
    }

    @Test func `a body in memory and one that cannot begin again are kept with a failed request`() async throws {
        let shore = try Shore()
        let kernel = try shore.kernel(settings: ["automatic": false])
        let stream = AsyncStream<Bytes> { continuation in
            continuation.yield(Bytes("stream"))
            continuation.finish()
        }

        let memory = try await Shore.queue(Shore.post("a", body: "hello"), in: kernel)
        // The transport has not asked for it yet.
        let streamed = try await Shore.queue(Request(.post, "http://a.test/b", body: .stream(stream)), in: kernel)

        let listed = try await kernel.command("queue", "list", "{}")
        guard case .json(let text) = listed else { return #expect(Bool(false)) }
        let requests = try JSONParser.parse(text)["requests"]?.arrayValue ?? []
        #expect(requests.map { $0["id"]?.stringValue } == [memory, streamed])
        #expect(requests.map { $0["bytes"]?.intValue } == [5, 6])
        await kernel.shutDown()
    }

    @Test func `only failures of the network, and methods with an effect, are queued by themselves`() async throws {
        let shore = try Shore()
        let kernel = try shore.kernel()
        var off = Shore.post("off")
        off.queue.mode = .off
        var asked = Request(.get, "http://a.test/asked")
        asked.queue.mode = .onFailure

        let reading = await #expect(throws: PlugboardError.self) {
            try await kernel.send(Request(.get, "http://a.test/"))
        }
        let switchedOff = await #expect(throws: PlugboardError.self) { try await kernel.send(off) }
        let askedFor = await #expect(throws: PlugboardError.self) { try await kernel.send(asked) }
        shore.rules.withLock { $0.failure = .transportTLS }
        let tls = await #expect(throws: PlugboardError.self) { try await kernel.send(Shore.post("tls")) }

        #expect(
            [reading, switchedOff, askedFor, tls].map { $0?.code } == [
                .transportConnect, .transportConnect, .queued, .transportTLS,
            ])
        await kernel.shutDown()
    }

    @Test func `the same Idempotency-Key is sent each time, also where the response was lost`() async throws {
        let shore = try Shore()
        shore.rules.withLock {
            $0.isOnline = true
            $0.lost = ["/a"]
        }
        let kernel = try shore.kernel(settings: ["delay": "1ms", "delayLimit": "1ms"])

        let ticket = try await Shore.queue(Shore.post("a"), in: kernel)
        _ = try await kernel.queue.outcome(of: ticket)

        let keys = shore.done.map(\.key)
        #expect(shore.paths == ["/a", "/a"])
        #expect(keys[0] != nil && keys[0] == keys[1])
        #expect(keys[0]?.first == "\"" && keys[0]?.count == 38)
        await kernel.shutDown()
    }

    @Test func `credentials are not stored, and are added by plugins when the request is sent again`() async throws {
        let shore = try Shore()
        let token = Record()
        token.add("old")
        let signer = ScriptedPlugin("signer", priority: 500)
        signer.onRequest = { exchange in
            exchange.request["Authorization"] = "Bearer \(token.lines.last ?? "")"
            return .next
        }
        var request = Shore.post("a")
        request["Cookie"] = "secret=1"
        request["X-Key"] = "secret-2"
        request.fields.markSecret("X-Key")
        request["X-Api-Key"] = "secret-4"
        request["X-Plain"] = "plain-3"
        let first = try shore.kernel(beside: [signer])
        let ticket = try await Shore.queue(request, in: first)
        await first.shutDown()
        let file = try shore.folder.read("queue.sqlite") + ((try? shore.folder.read("queue.sqlite-wal")) ?? [])

        token.add("new")
        shore.isOnline = true
        let second = try shore.kernel(beside: [signer])
        _ = try await second.queue.outcome(of: ticket)

        let text = String(decoding: file, as: UTF8.self)
        for secret in ["secret=1", "secret-2", "secret-4", "Bearer"] {
            #expect(!text.contains(secret) && !text.contains(Base64.encode(Array(secret.utf8))))
        }
        #expect(text.contains(Base64.encode(Array("plain-3".utf8))))
        #expect(shore.done.map(\.authorization) == ["Bearer new"])
        await second.shutDown()
    }

    @Test func `credentials are stored where the program asks for it, and are redacted where they are shown`()
        async throws
    {
        let shore = try Shore()
        let kernel = try shore.kernel(settings: ["delay": "1ms", "delayLimit": "1ms"])
        var request = Shore.post("a")
        request["Authorization"] = "Bearer mine"
        request.queue.storeCredentials = true
        let ticket = try await Shore.queue(request, in: kernel)

        guard case .json(let shown) = try await kernel.command("queue", "show", #"{"id": "\#(ticket)"}"#) else {
            return
        }
        shore.isOnline = true
        _ = try await kernel.queue.outcome(of: ticket)

        #expect(!shown.contains("mine") && shown.contains("redacted"))
        #expect(shore.done.map(\.authorization) == ["Bearer mine"])
        await kernel.shutDown()
    }

    @Test func `requests are found and dropped by ticket, tag and category`() async throws {
        let shore = try Shore()
        let kernel = try shore.kernel(settings: ["automatic": false])
        var tickets: [String] = []
        for (tag, category) in [("a", "x"), ("b", "x"), ("a", "y"), ("c", "z")] {
            var request = Shore.post(tag + category, category: category)
            request.queue.tag = tag
            request.queue.context = "context of \(tag)\(category)"
            tickets.append(try await kernel.sendLater(request))
        }

        let tagged = try await kernel.queue.list(tag: "a")
        let dropped = try await kernel.queue.drop(category: "x")
        let one = try await kernel.queue.drop(id: tickets[3])
        let error = await #expect(throws: PlugboardError.self) { try await kernel.queue.drop() }

        #expect(tagged.map(\.context) == ["context of ax", "context of ay"])
        #expect(dropped == 2 && one == 1)
        #expect(error?.code == .queueArgument)
        #expect(try await kernel.queue.list().map(\.id) == [tickets[2]])
        await kernel.shutDown()
    }

    @Test func `beyond the limits a request is refused with its own failure, or the oldest is dropped`() async throws {
        let refusing = try Shore()
        let strict = try refusing.kernel(settings: ["automatic": false, "limit": 2])
        for number in 1...2 { _ = try await strict.sendLater(Shore.post("\(number)")) }
        let later = await #expect(throws: PlugboardError.self) { try await strict.sendLater(Shore.post("3")) }
        let failed = await #expect(throws: PlugboardError.self) { try await strict.send(Shore.post("4")) }
        await strict.shutDown()

        let dropping = try Shore()
        let loose = try dropping.kernel(settings: ["automatic": false, "bytes": "12000B", "whenFull": "dropOldest"])
        for number in 1...3 {
            _ = try await loose.sendLater(Shore.post("\(number)", body: String(repeating: "x", count: 5000)))
        }
        let large = await #expect(throws: PlugboardError.self) {
            try await loose.sendLater(Shore.post("large", body: String(repeating: "x", count: 12_001)))
        }

        #expect(later?.code == .queueFull && failed?.code == .transportConnect && large?.code == .queueFull)
        #expect(
            try await loose.queue.list(state: .waiting).map(\.url) == ["http://a.test/2", "http://a.test/3"])
        #expect(try await loose.queue.list(state: .done).map(\.code) == [.queueFull])
        await loose.shutDown()
    }

    @Test func `a request in the journal that is under way at the end of the kernel is sent by the next one`()
        async throws
    {
        let shore = try Shore()
        shore.isOnline = true
        let first = try shore.kernel()
        var quick = Shore.post("quick")
        quick.queue.mode = .journal
        #expect(try await first.send(quick).status == 200)
        while try await first.queue.statistics().sending > 0 { await Task.yield() }
        #expect(try await first.queue.list().isEmpty)
        shore.isOnline = false
        var failing = Shore.post("failing")
        failing.queue.mode = .journal
        failing.queue.id = "mine"

        let ticket = try await Shore.queue(failing, in: first)
        await first.shutDown()
        shore.isOnline = true
        let second = try shore.kernel()
        _ = try await second.queue.outcome(of: ticket)

        #expect(ticket == "mine")
        #expect(shore.paths == ["/quick", "/failing"])
        await second.shutDown()
    }

    @Test func `a program names the failures of the network by their codes`() async throws {
        let entry = PluginEntry.queue { $0.failures = [.transportDNS, "retry.circuitOpen"] }

        #expect(entry.settings["failures"] == ["retry.circuitOpen", "transport.dns"])
        #expect(QueueSettings().failures.contains(.timeoutConnect))
    }
}
