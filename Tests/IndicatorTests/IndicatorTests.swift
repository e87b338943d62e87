import Foundation
import Plugboard
import PlugboardJSON
import PlugboardKit
import PlugboardTransport
import Synchronization
import TestSupport
import Testing

@testable import PlugboardIndicator

/// The plugin on a pseudo-terminal, with a clock that the test moves.
@Suite(.serialized) struct IndicatorTests {
    private let clock = ManualClock()
    private let feed = IndicatorFeed()
    private let facts = Facts()

    init() { feed.onFact { [facts] in facts.add($0) } }

    private final class Facts: Sendable {
        private let list = Mutex<[IndicatorFact]>([])
        let came = Gate()
        var all: [IndicatorFact] { list.withLock { $0 } }
        var kinds: [IndicatorFact.Kind] { all.map(\.kind) }
        func add(_ fact: IndicatorFact) {
            list.withLock { $0.append(fact) }
            came.admit()
        }
        /// Waits until a fact of the kind has come so many times.
        func wait(for kind: IndicatorFact.Kind, count: Int = 1) async throws {
            var seen = 0
            while kinds.filter({ $0 == kind }).count < count {
                seen += 1
                try await came.opened(for: seen)
            }
        }
    }

    private func kernel(
        _ linkage: Linkage, _ transport: any Transport, terminal: PseudoTerminal? = nil, settings: JSONObject = [:],
        beside scripted: [ScriptedPlugin] = []
    ) throws -> Kernel {
        var settings = settings
        settings["terminal"] = .string(terminal?.path ?? "off")
        return try linkage.kernel(
            indicatorPlugin(), transport, clock: clock, settings: settings, beside: scripted,
            watch: { [feed] in feed.receive($0) })
    }

    private func request(_ message: String, modal: Bool = false) -> Request {
        var request = Request(.get, "http://a.test/")
        request.indicator.message = message
        if modal { request.indicator.modal = true }
        return request
    }

    @Test(arguments: Linkage.allCases)
    func `a request is shown after the delay, with its message, and the line is removed at its end`(
        linkage: Linkage
    ) async throws {
        let terminal = try PseudoTerminal()
        let transport = MockTransport { _, _ in .silence }
        let kernel = try kernel(linkage, transport, terminal: terminal)

        let exchange = kernel.begin(request("Loading\u{1B}[2J the map"))
        try await transport.began.opened(for: 1)
        clock.advance(by: .milliseconds(299))
        let before = try terminal.read()
        clock.advance(by: .milliseconds(1))
        try await facts.wait(for: .shown)
        let shown = try terminal.read(until: "map")
        // The plugin may not have set the timer of the next drawing yet.
        var turned = ""
        while !turned.contains("map") {
            clock.advance(by: .milliseconds(100))
            await Task.yield()
            turned += try terminal.read()
        }
        exchange.cancel()
        try await facts.wait(for: .hidden)
        let cleared = try terminal.read(until: "\u{1B}[J")

        #expect(before.isEmpty)
        #expect(shown == "\u{1B}[J\u{1B}D\u{1B}[1A\u{1B}7\r\r\n⠋ Loading\\u{1B}[2J the map\u{1B}8")
        #expect(turned.contains("\r\n⠙ Loading"))
        #expect(cleared == "\u{1B}[J")
        #expect(facts.kinds == [.willStart, .shown, .cancelled, .willComplete, .didComplete, .hidden])
        #expect(facts.all.last { $0.kind == .didComplete }?.outcome == "cancelled")
        await kernel.shutDown(within: .zero)
    }

    @Test(arguments: Linkage.allCases)
    func `a quick response is not shown, and a slow body of a stored one is not either`(linkage: Linkage) async throws {
        let terminal = try PseudoTerminal()
        let stored = ScriptedPlugin("store", priority: 600)
        let body = SteppedSource()
        stored.onRequest = { exchange in
            exchange.request.url.hasSuffix("stored")
                ? .respond(ResponseHead(status: 200), Body(body)) : .next
        }
        let kernel = try kernel(linkage, MockTransport(body: "ok"), terminal: terminal, beside: [stored])

        _ = try await kernel.send(request("quick")).body.text()
        try await facts.wait(for: .didComplete)
        let response = try await kernel.send(Request(.get, "http://a.test/stored"))
        clock.advance(by: .seconds(5))
        let isShown = feed.isShown
        body.give("x")
        body.give(nil)
        _ = try await response.body.text()
        try await facts.wait(for: .didComplete, count: 2)

        #expect(!isShown && !facts.kinds.contains(.shown))
        #expect(try terminal.read().isEmpty)
        await kernel.shutDown(within: .zero)
    }

    @Test(arguments: Linkage.allCases)
    func `requests are counted, each has a line, and a modal one is shown alone`(linkage: Linkage) async throws {
        let terminal = try PseudoTerminal()
        let transport = MockTransport { _, _ in .silence }
        let kernel = try kernel(linkage, transport, terminal: terminal, settings: ["rows": 2])

        var exchanges = ["one", "two", "three"].map { kernel.begin(request($0)) }
        try await transport.began.opened(for: 3)
        clock.advance(by: .milliseconds(300))
        let three = try terminal.read(until: "more")
        exchanges.append(kernel.begin(request("waiting", modal: true)))
        try await facts.wait(for: .willStart, count: 4)
        let isModal = feed.isModal
        clock.advance(by: .milliseconds(300))
        let modal = try terminal.read(until: "waiting")
        for exchange in exchanges { exchange.cancel() }
        try await facts.wait(for: .didComplete, count: 4)

        #expect(three.hasSuffix("\u{1B}[3A\u{1B}7\r\r\n⠋ one\r\r\n⠋ two\r\r\n  and 1 more\u{1B}8"))
        #expect(modal.contains("waiting") && isModal && !feed.isModal)
        #expect(facts.all.filter { $0.kind == .willStart }.map(\.active) == [1, 2, 3, 4])
        #expect(facts.all.filter { $0.kind == .didComplete }.map(\.active) == [3, 2, 1, 0])
        #expect(feed.active.isEmpty)
        await kernel.shutDown(within: .zero)
    }

    @Test(arguments: Linkage.allCases)
    func `suspending and resuming are facts, and are shown`(linkage: Linkage) async throws {
        let terminal = try PseudoTerminal()
        let transport = MockTransport { _, _ in .silence }
        let kernel = try kernel(linkage, transport, terminal: terminal)

        let exchange = kernel.begin(request("file"))
        try await transport.began.opened(for: 1)
        exchange.suspend()
        try await facts.wait(for: .suspended)
        clock.advance(by: .milliseconds(300))
        let suspended = try terminal.read(until: "suspended")
        exchange.resume()
        try await facts.wait(for: .resumed)
        exchange.cancel()
        try await facts.wait(for: .didComplete)

        #expect(suspended.contains("‖ file  suspended"))
        #expect(
            facts.kinds.filter { [.willStart, .suspended, .resumed].contains($0) } == [
                .willStart, .suspended, .resumed,
            ])
        await kernel.shutDown(within: .zero)
    }

    @Test(arguments: Linkage.allCases)
    func `sub-requests of plugins belong to their request, and do not count`(linkage: Linkage) async throws {
        let transport = MockTransport(body: "ok")
        let asking = ScriptedPlugin("asking", priority: 450)
        asking.onRequest = { [asking] exchange in
            let id = exchange.id
            guard let host = asking.host, exchange.visit == .first else { return .next }
            return .wait {
                _ = try? await host.send(Request(.get, "http://a.test/token"), for: id, from: .outermost)
                return { _ in .next }
            }
        }
        let kernel = try kernel(linkage, transport, beside: [asking])

        _ = try await kernel.send(request("one")).body.text()
        try await facts.wait(for: .didComplete)

        #expect(transport.requests.count == 2)
        #expect(facts.all.filter { $0.kind == .willStart }.map(\.message) == ["one"])
        await kernel.shutDown(within: .zero)
    }

    @Test(arguments: Linkage.allCases)
    func `a file is no terminal, and two kernels do not draw at the same time`(linkage: Linkage) async throws {
        let folder = try TemporaryFolder()
        let terminal = try PseudoTerminal()
        let transport = MockTransport { _, _ in .silence }
        let file = try folder.write("out", "")
        let first = try kernel(linkage, transport, terminal: terminal)
        let second = try kernel(linkage, transport, terminal: terminal)
        let third = try kernel(linkage, transport, settings: [:])
        let fourth = try linkage.kernel(
            indicatorPlugin(), transport, clock: clock, settings: ["terminal": .string(file)])

        let exchanges = [second, third, fourth].map { $0.begin(request("other")) } + [first.begin(request("first"))]
        try await transport.began.opened(for: 4)
        clock.advance(by: .milliseconds(300))
        let shown = try terminal.read(until: "first")
        for exchange in exchanges { exchange.cancel() }
        for kernel in [first, second, third, fourth] { await kernel.shutDown(within: .zero) }

        #expect(!shown.contains("other"))
        #expect(try folder.read("out").isEmpty)
    }

    @Test(arguments: Linkage.allCases)
    func `progress has the totals of both directions, in a feed and on the terminal`(linkage: Linkage) async throws {
        let (received, gate) = (Gate(), Gate())
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(
                "HTTP/1.1 200 OK\r\nContent-Length: 2048\r\n\r\n" + String(repeating: "x", count: 1024))
            received.open()
            try connection.wait(for: gate)
            try connection.write(String(repeating: "x", count: 1024))
        }
        let kernel = try linkage.kernel(
            indicatorPlugin(), settings: ["terminal": "off"], watch: { [feed] in feed.receive($0) })
        var request = Request(.post, server.url(), body: .text(String(repeating: "y", count: 512)))
        request.indicator.control = "save"
        let sequence = feed.facts

        let response = try await kernel.send(request)
        try await received.opened()
        let isActive = feed.isActive("save")
        gate.open()
        _ = try await response.body.text()
        try await facts.wait(for: .didComplete)
        var last: TransferProgress?
        for await fact in sequence {
            if fact.kind == .progress { last = fact.progress }
            if fact.kind == .didComplete { break }
        }

        #expect(isActive && !feed.isActive("save"))
        #expect(last?.sent == 512 && last?.toSend == 512 && last?.received == 2048 && last?.toReceive == 2048)
    }

    @Test(arguments: [1, 8])
    func `a terminal that is not read stops no drawing, and gets the last one whole`(count: Int) throws {
        let pseudo = try PseudoTerminal()
        // As standard error is, which waits.
        let blocking = open(pseudo.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(blocking) }
        let terminal = try #require(Terminal("", standardError: blocking))
        func lines(_ number: Int) -> [String] {
            (0..<count).map { "\(number).\($0) " + String(repeating: "x", count: 70) }
        }

        for number in 1...500 { terminal.draw(lines(number)) }
        let isBehind = terminal.isBehind
        var all = ""
        while terminal.isBehind {
            all += try pseudo.read()
            terminal.flush()
        }
        all = try pseudo.read(after: all, to: "500.\(count - 1) \(String(repeating: "x", count: 70))\u{1B}8")
        terminal.draw([])
        let cleared = try pseudo.read(until: "\u{1B}[J")

        #expect(isBehind && cleared == "\u{1B}[J" && fcntl(blocking, F_GETFL) & O_NONBLOCK == 0)
        let drawings = all.split(separator: "\u{1B}8")
        #expect(drawings.allSatisfy { $0.hasPrefix("\u{1B}[J") && $0.split(separator: "\r\n").count == count + 1 })
    }
}
