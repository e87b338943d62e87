import Plugboard
import PlugboardCache
import PlugboardCacheOptions
import PlugboardKit
import Synchronization
import TestSupport
import Testing

/// Only whole bodies that reached the reader are stored.
struct StoringTests {
    private static let fresh: Fields = ["Cache-Control": "max-age=60"]

    @Test(arguments: Linkage.allCases)
    func `a body that breaks is not stored`(linkage: Linkage) async throws {
        let broken = PlugboardError(.bodyCut, "cut")
        let transport = MockTransport { _, number in
            .source(200, Self.fresh, PiecesSource(["par"], ending: number == 1 ? .broken(broken) : .end(trailers: [:])))
        }
        let bench = try CacheBench(linkage, transport)
        await #expect(throws: PlugboardError.self) { try await bench.get() }

        try await bench.get()
        try await bench.get()

        #expect(transport.requests.count == 2)
    }

    @Test(arguments: Linkage.allCases)
    func `a body whose bytes have come with its head is not stored if it breaks before its end`(
        linkage: Linkage
    ) async throws {
        let broken = Piece.broken(PlugboardError(.bodyCut, "cut"))
        let transport = MockTransport { _, number in
            .source(200, Self.fresh, ReadySource("whole", ending: number == 1 ? broken : .end(trailers: [:])))
        }
        let bench = try CacheBench(linkage, transport)
        await #expect(throws: PlugboardError.self) { try await bench.get() }

        try await bench.get()
        let third = try await bench.get()

        #expect(third.body == "whole")
        #expect(transport.requests.count == 2)
        #expect(bench.events.lines == ["miss", "miss", "stored", "hit"])
    }

    @Test(arguments: Linkage.allCases)
    func `a POST response that describes its own URL replaces all stored ones`(
        linkage: Linkage
    ) async throws {
        let transport = MockTransport { _, number in
            .respond(200, ["Cache-Control": "max-age=60", "Content-Location": "/"], ["\(number)"])
        }
        let bench = try CacheBench(linkage, transport)
        try await bench.get()
        for _ in 0..<3 { _ = try await bench.send(Request(.post, "http://a.test/")) }

        let response = try await bench.get()

        #expect(response.body == "4" && transport.requests.count == 4)
        #expect(try await bench.kernel.cache.stats().entries == 1)
    }

    @Test(arguments: Linkage.allCases)
    func `a body shorter than its Content-Length is not stored`(linkage: Linkage) async throws {
        let transport = MockTransport { _, _ in
            .respond(200, ["Cache-Control": "max-age=60", "Content-Length": "10"], ["short"])
        }
        let bench = try CacheBench(linkage, transport)

        for _ in 0..<2 { try await bench.get() }

        #expect(transport.requests.count == 2 && !bench.events.lines.contains("stored"))
    }

    @Test(arguments: Linkage.allCases)
    func `a body cut by a real server is not stored`(linkage: Linkage) async throws {
        let fresh = [("Cache-Control", "max-age=60")]
        let server = try LoopbackServer(
            .inTurn(
                .bodyCutShort(declared: 1000, sent: 10, fields: fresh),
                .responding { _ in ServerResponse(fields: fresh, body: "whole") }))
        defer { server.stop() }
        let bench = try CacheBench(linkage)
        await #expect(throws: PlugboardError.self) { try await bench.get(server.url()) }

        let second = try await bench.get(server.url())
        let third = try await bench.get(server.url())

        #expect(second.body == "whole" && third.body == "whole")
        #expect(server.requests.count == 2)
    }

    @Test(arguments: Linkage.allCases)
    func `a response that a plugin further out rejects is not stored`(linkage: Linkage) async throws {
        let judge = ScriptedPlugin("judge", priority: 200)
        let verdicts = Gate()
        judge.onResponse = { _ in
            verdicts.admit()
            return verdicts.admitted == 1 ? .fail(PlugboardError("judge.refused", "refused")) : .next
        }
        let transport = MockTransport { _, _ in .respond(200, Self.fresh, ["x"]) }
        let bench = try CacheBench(linkage, transport, beside: [judge])
        await #expect(throws: PlugboardError.self) { try await bench.get() }

        for _ in 0..<2 { try await bench.get() }

        #expect(transport.requests.count == 2)
        #expect(bench.events.lines == ["miss", "miss", "stored", "hit"])
    }

    @Test(arguments: Linkage.allCases, [false, true])
    func `a response that a plugin further out replaces or sends again is not stored`(
        linkage: Linkage, resends: Bool
    ) async throws {
        let other = ScriptedPlugin("other", priority: 300)
        let seen = Gate()
        other.onResponse = { _ in
            seen.admit()
            if seen.admitted > 1 { return .next }
            return resends ? .resend() : .respond(ResponseHead(status: 418), nil)
        }
        let transport = MockTransport { _, number in .respond(200, Self.fresh, ["\(number)"]) }
        let bench = try CacheBench(linkage, transport, beside: [other])
        _ = try await bench.get()

        let next = try await bench.get()

        #expect(next.body == "2")
        #expect(transport.requests.count == 2)
    }

    @Test(arguments: Linkage.allCases)
    func `a body that is dropped in the middle is not stored`(linkage: Linkage) async throws {
        let server = try LoopbackServer(.endlessBody())
        defer { server.stop() }
        let bench = try CacheBench(linkage, settings: ["largestBody": "64MiB"])
        let closed = Gate()
        let handle = bench.kernel.begin(Request(.get, server.url())) { event in
            if event.id == "completed" { closed.admit() }
        }
        try await drop(handle.response)
        try await closed.opened()

        let stats = try await bench.kernel.cache.stats()

        #expect(stats.entries == 0 && stats.memoryEntries == 0 && stats.stored == 0)
    }

    @Test(arguments: Linkage.allCases)
    func `a body larger than the limit continues unstored`(linkage: Linkage) async throws {
        let server = try LoopbackServer.responding { request in
            ServerResponse(
                fields: [("Cache-Control", "max-age=60")] + (request.path == "/known" ? [] : [("X", "y")]),
                body: Script.letters(100_000))
        }
        defer { server.stop() }
        let bench = try CacheBench(linkage, settings: ["largestBody": "50000B"])

        for path in ["/known", "/known"] {
            #expect(try await bench.get(server.url(path)).body.utf8.count == 100_000)
        }

        #expect(server.requests.count == 2)
    }

    @Test(arguments: Linkage.allCases)
    func `a body of unknown length that exceeds the limit continues unstored`(linkage: Linkage) async throws {
        let transport = MockTransport { _, _ in
            .respond(200, Self.fresh, Array(repeating: String(repeating: "x", count: 1000), count: 100))
        }
        let bench = try CacheBench(linkage, transport, settings: ["largestBody": "50000B"])

        for _ in 0..<2 { #expect(try await bench.get().body.utf8.count == 100_000) }

        #expect(transport.requests.count == 2)
    }

    @Test(arguments: Linkage.allCases)
    func `the body of a slow reader is stored whole`(linkage: Linkage) async throws {
        let gate = Gate()
        let pieces = (0..<20).map { String(repeating: "\($0 % 10)", count: 1000) }
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(
                "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 20000\r\n\r\n")
            for (index, piece) in pieces.enumerated() {
                try connection.wait(for: gate, count: index + 1)
                try connection.write(piece)
            }
        }
        defer { server.stop() }
        let bench = try CacheBench(linkage)
        let response = try await bench.begin(Request(.get, server.url())).response
        gate.admit()
        var count = 0
        for try await piece in response.body {
            count += piece.count
            gate.admit()
        }

        let second = try await bench.get(server.url())

        #expect(count == 20_000 && second.body == pieces.joined())
        #expect(server.requests.count == 1)
    }

    @Test(arguments: Linkage.allCases)
    func `a kernel that shuts down in the middle of a body stores nothing`(linkage: Linkage) async throws {
        let server = try LoopbackServer(
            .silenceInBody(declared: 100, sent: 10, fields: [("Cache-Control", "max-age=60")]))
        defer { server.stop() }
        let folder = try TemporaryFolder("cache")
        let bench = try CacheBench(linkage, folder: folder)
        let response = try await bench.begin(Request(.get, server.url())).response
        await bench.kernel.shutDown(within: .zero)
        await #expect(throws: PlugboardError.self) { try await response.body.text() }

        let next = try CacheBench(linkage, folder: folder)

        #expect(try await next.kernel.cache.stats().entries == 0)
    }

    @Test(arguments: Linkage.allCases)
    func `evicted responses are an event`(linkage: Linkage) async throws {
        let evicted = Record()
        let watcher = ScriptedPlugin("watcher", priority: 10)
        watcher.events = ["cache.evicted"]
        watcher.onEvent = { event, _ in evicted.add(event["count"] ?? "") }
        let body = String(repeating: "x", count: 20_000)
        let transport = MockTransport { _, _ in .respond(200, Self.fresh, [body]) }
        let bench = try CacheBench(
            linkage, transport, settings: ["entries": 2, "disk": "256KiB"], beside: [watcher])

        for number in 0..<20 {
            try await bench.get("http://a.test/\(number)")
            // Bodies that wait to be written take the room of others.
            try await bench.settled(number + 1)
        }
        let stats = try await bench.kernel.cache.stats()

        #expect(stats.evicted > 0 && stats.entries < 20)
        #expect(evicted.lines.compactMap { Int($0) }.reduce(0, +) == stats.evicted)
    }

    /// Receives the head and drops the body.
    private func drop(_ response: Response) async throws { #expect(response.status == 200) }
}

/// A body whose bytes are there at once, in one piece, before its ending.
private final class ReadySource: BodySource {
    private let text: String
    private let ending: Piece
    private let isGiven = Mutex(false)

    init(_ text: String, ending: Piece) {
        self.text = text
        self.ending = ending
    }

    var length: Int? { text.utf8.count }

    func nextIfReady() -> Piece? {
        isGiven.withLock { isGiven in
            defer { isGiven = true }
            return isGiven ? ending : .bytes(Bytes(text))
        }
    }

    func pull(_ pull: Pull) {
        if let piece = nextIfReady() { pull.complete(piece) }
    }
}
