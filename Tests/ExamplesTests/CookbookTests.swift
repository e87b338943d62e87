import Foundation
import PlugboardKit
import PlugboardTesting
import PluginLoader
import Synchronization
import TestSupport
import Testing

@testable import ExampleCookbook

/// What the plugins of `Examples/Cookbook` do, tested as the authors' guide recommends.
struct CookbookTests {
    private let url = "https://api.test/v1/feed?page=2"

    @Test func `onRequest: a request gets a number of its own, and keeps one that it has`() async throws {
        let bench = try Workbench(RequestID.self, settings: ["field": "X-Number", "bytes": 4])

        _ = try await bench.send(Request(.get, url))
        _ = try await bench.send(Request(.get, url))
        _ = try await bench.send(Request(.get, url, fields: ["x-number": "mine"]))

        let numbers = bench.transport.requests.map { $0["X-Number"] ?? "" }
        #expect(numbers.map(\.count) == [8, 8, 4])
        #expect(numbers[0] != numbers[1])
        #expect(numbers[2] == "mine")
    }

    @Test(arguments: ["text/html", "application/json; charset=utf-8", "Application/JSON", nil])
    func `onResponse: a response of another type than the request expects is a failure`(
        type: String?
    ) async throws {
        let fields: Fields = type.map { ["Content-Type": $0] } ?? [:]
        let bench = try Workbench(
            ExpectedType.self, transport: ScriptedTransport { _, _ in .respond(200, fields, body: .text("{}")) })
        var request = Request(.get, url)
        request[ExpectedType.type] = "application/json"

        let error = await error(of: bench, request)
        let unasked = try await bench.send(Request(.get, url)).status

        let isExpected = type?.lowercased().hasPrefix("application/json") == true
        #expect(error?.code == (isExpected ? nil : "com.example.expected-type.other"))
        #expect(error?.plugin == (isExpected ? nil : ExpectedType.id))
        #expect(unasked == 200)
    }

    @Test func `onFailure: mirrors are asked in their order, path and query kept`() async throws {
        let bench = try Workbench(
            Mirrors.self, settings: ["origins": ["https://b.test", "https://c.test"]],
            transport: ScriptedTransport { sent, _ in
                sent.url.hasPrefix("https://c.test")
                    ? .respond(200) : .fail(PlugboardError(.transportConnect, "refused"))
            })

        let response = try await bench.send(Request(.get, url))

        #expect(response.attempts == 3)
        #expect(
            bench.transport.requests.map(\.url) == [
                url, "https://b.test/v1/feed?page=2", "https://c.test/v1/feed?page=2",
            ])
    }

    @Test func `onFailure: when there are no more mirrors, the failure goes on outward`() async throws {
        let bench = try Workbench(
            Mirrors.self, settings: ["origins": ["https://b.test"]],
            transport: ScriptedTransport { _, _ in .fail(PlugboardError(.transportConnect, "refused")) })

        let error = await error(of: bench, Request(.get, url))

        #expect(error?.code == .transportConnect)
        #expect(bench.transport.requests.count == 2)
    }

    @Test func `an init that throws refuses the configuration and says why`() {
        let error = #expect(throws: PlugboardError.self) {
            try Workbench(Mirrors.self, settings: ["origins": ["somewhere"]])
        }

        #expect(error?.reason.contains("somewhere is not an origin") == true)
    }

    @Test func `onClose: the time of a turn is published, however it ends`() async throws {
        let bench = try Workbench(
            Stopwatch.self, transport: ScriptedTransport { sent, _ in sent.method == .get ? .respond(200) : .silence })

        _ = try await bench.send(Request(.get, url)).body.text()
        let handle = bench.begin(Request(.post, url))
        _ = await bench.transport.requests(atLeast: 2)
        bench.clock.advance(by: .seconds(3))
        handle.cancel()
        _ = try? await handle.response

        let stops = bench.events.filter { $0.id == "com.example.stopwatch.stopped" }
        #expect(stops.map { $0["outcome"] } == ["ended", "cancelled"])
        #expect(stops.map { $0["milliseconds"] } == ["0", "3000"])
    }

    @Test func `onEvent and commands: statuses are counted, shown and forgotten`() async throws {
        let bench = try Workbench(
            StatusCounts.self, transport: ScriptedTransport { _, number in .respond(number < 3 ? 200 : 503) })

        for _ in 1...3 { _ = try await bench.send(Request(.get, url)) }
        let shown = try await bench.kernel.command("com.example.status-counts", "show")
        try await bench.kernel.forget()
        let forgotten = try await bench.kernel.command("com.example.status-counts", "show")

        #expect(json(shown) == #"{"200":2,"503":1}"#)
        #expect(json(forgotten) == "{}")
        #expect(bench.kernel.counters["com.example.status-counts.server-errors"] == 1)
    }

    @Test func `wrapping: a body is measured and comes as it was`() async throws {
        let bench = try Workbench(
            ByteMeter.self, transport: ScriptedTransport { _, _ in .respond(200, body: .text("twelve bytes")) })

        let text = try await bench.send(Request(.get, url)).body.text()

        #expect(text == "twelve bytes")
        #expect(bench.events.first { $0.id == "com.example.byte-meter.read" }?["bytes"] == "12")
    }

    @Test func `wrapping: a body over the limit breaks off, one below it does not`() async throws {
        let bench = try Workbench(
            BodyLimit.self, settings: ["limit": "8B"],
            transport: ScriptedTransport { _, number in
                .respond(200, body: .text(number == 1 ? "eight by" : "nine byte"))
            })

        let whole = try await bench.send(Request(.get, url)).body.text()
        let broken = await #expect(throws: PlugboardError.self) {
            try await bench.send(Request(.get, url)).body.text()
        }

        #expect(whole == "eight by")
        #expect(broken?.code == "com.example.body-limit.reached")
    }

    @Test(arguments: [
        (#"{"a": 1}"#, true), (#"{"a": "#, false), ("[" + String(repeating: "1,", count: 40) + "]", true),
    ])
    func `holding: malformed JSON stays here, JSON and what is too long to be looked at are sent`(
        body: String, isSent: Bool
    ) async throws {
        let bench = try Workbench(JSONOnly.self, settings: ["limit": "64B"])

        let error = await error(
            of: bench, Request(.post, url, fields: ["Content-Type": "application/json"], body: .text(body)))

        #expect(error?.code == (isSent ? nil : "com.example.json-only.malformed"))
        #expect(bench.transport.requests.map { $0.body?.text } == (isSent ? [body] : []))
    }

    @Test func `waiting off the loop: the key is read for each request, and is secret`() async throws {
        let folder = try TemporaryFolder("key")
        defer { folder.remove() }
        let path = try folder.write("key", "first\n")
        let bench = try Workbench(KeyFile.self, settings: ["path": .string(path)])

        _ = try await bench.send(Request(.get, url))
        try folder.write("key", "second\n")
        _ = try await bench.send(Request(.get, url))
        try folder.write("key", "")
        let error = await error(of: bench, Request(.get, url))

        #expect(bench.transport.requests.map { $0[.authorization] } == ["Bearer first", "Bearer second"])
        #expect(bench.transport.requests[0].fields.first { $0.name == "Authorization" }?.isSecret == true)
        #expect(error?.code == "com.example.key-file.unreadable")
    }

    @Test func `sub-requests: a server is asked for the key, and its response is read whole`() async throws {
        let bench = try keyServer(.respond(200, body: .text("open sesame")))

        let status = try await bench.send(Request(.get, url)).status

        #expect(status == 200)
        #expect(bench.transport.requests.map(\.url) == ["https://keys.test/", url])
        #expect(bench.transport.requests.last?["X-Key"] == "open sesame")
    }

    @Test func `sub-requests: without a key the request is not sent, and its failure says why`() async throws {
        let tooLong = String(repeating: "k", count: 5000)
        let outcomes: [ScriptedTransport.Outcome] = [
            .respond(503), .respond(200, body: .text(tooLong)), .fail(PlugboardError(.transportConnect, "refused")),
        ]

        var codes: [PlugboardError.Code?] = []
        for outcome in outcomes {
            let bench = try keyServer(outcome)
            codes.append(await error(of: bench, Request(.get, url))?.code)
            #expect(bench.transport.requests.map(\.url) == ["https://keys.test/"])
        }

        #expect(codes == ["com.example.key-server.refused", .bodyLimit, .transportConnect])
    }

    private func keyServer(_ outcome: ScriptedTransport.Outcome) throws -> Workbench {
        try Workbench(
            KeyServer.self, settings: ["url": "https://keys.test/"],
            transport: ScriptedTransport { sent, _ in sent.url == "https://keys.test/" ? outcome : .respond(200) })
    }

    @Test func `tickets: no more requests than permits are under way, and none is lost by a cancel`() async throws {
        let gate = Gate()
        let running = Mutex((now: 0, most: 0))
        let bench = try Workbench(
            Permits.self, settings: ["permits": 2],
            transport: ScriptedTransport { _, _ in
                running.withLock { running in
                    running.now += 1
                    running.most = max(running.most, running.now)
                }
                try? await gate.opened()
                running.withLock { $0.now -= 1 }
                return .respond(200)
            })

        let first = bench.begin(Request(.get, url))
        let second = bench.begin(Request(.get, url))
        _ = await bench.transport.requests(atLeast: 2)
        let waiting = bench.begin(Request(.get, url))
        let others = (0..<6).map { _ in bench.begin(Request(.get, url)) }
        waiting.cancel()
        _ = try? await waiting.response
        gate.open()
        var statuses: [Int] = []
        for handle in [first, second] + others { statuses.append(try await handle.response.status) }

        #expect(statuses == Array(repeating: 200, count: 8))
        #expect(running.withLock { $0.most } <= 2)
        #expect(bench.transport.requests.count == 8)
    }

    @Test(.timeLimit(.minutes(1)))
    func `tickets: the permit of an exchange that is cancelled between its wake and its hook goes to the next`()
        async throws
    {
        let second = Mutex<ExchangeHandle?>(nil)
        let bench = try Workbench(
            Permits.self, settings: ["permits": 1],
            transport: ScriptedTransport { _, number in number == 1 ? .silence : .respond(200) })
        // Both ends of the loop's queue: the cancel of the second comes before the hook that the first one's end wakes.
        let first = bench.kernel.begin(
            Request(.get, url),
            watch: {
                if $0.id == "willCancel" { second.withLock { $0 }?.cancel() }
            })
        _ = await bench.transport.requests(atLeast: 1)
        second.withLock { $0 = bench.begin(Request(.get, url)) }
        let third = bench.begin(Request(.get, url))

        first.cancel()
        let status = try await third.response.status

        #expect(status == 200)
        #expect(bench.transport.requests.count == 2)
    }

    private func json(_ reply: CommandReply) -> String? {
        if case .json(let text) = reply { text } else { nil }
    }
}

/// The error that a request ends with, or nil.
func error(of bench: Workbench, _ request: Request) async -> PlugboardError? {
    do {
        _ = try await bench.send(request)
        return nil
    } catch {
        return error
    }
}
