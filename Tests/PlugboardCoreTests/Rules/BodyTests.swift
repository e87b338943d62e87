import Plugboard
import PlugboardKit
import Synchronization
import TestSupport
import Testing

@Suite struct `Rules 6 and 7: holding and wrapping bodies` {
    private func holding(upTo limit: Int, _ record: Record) -> ScriptedPlugin {
        let plugin = ScriptedPlugin("holder")
        plugin.onResponse = { exchange in
            guard exchange.visit == .first else {
                let held = exchange.withHeldBody { String(decoding: $0, as: UTF8.self) }
                record.add("\(exchange.visit) \(held)")
                return .next
            }
            return .hold(upTo: .bytes(limit))
        }
        return plugin
    }

    @Test func `a held body is there whole, and flows on afterwards`() async throws {
        let record = Record()
        let kernel = try makeKernel(
            [holding(upTo: 100, record)], MockTransport { _, _ in .respond(200, Fields(), ["ab", "cd", "ef"]) })

        let text = try await kernel.send(Request(.get, anywhere)).body.text()

        #expect(record.lines == ["held abcdef"])
        #expect(text == "abcdef")
    }

    @Test func `a body over the limit is not held, and still flows on whole`() async throws {
        let record = Record()
        let kernel = try makeKernel(
            [holding(upTo: 3, record)], MockTransport { _, _ in .respond(200, Fields(), ["ab", "cd", "ef"]) })

        let text = try await kernel.send(Request(.get, anywhere)).body.text()

        #expect(record.lines == ["overLimit "])
        #expect(text == "abcdef")
    }

    @Test func `a body in a hundred thousand pieces that come at once is held`() async throws {
        let record = Record()
        let plugin = ScriptedPlugin("holder")
        plugin.onResponse = { exchange in
            guard exchange.visit == .held else { return .hold(upTo: .mebibytes(1)) }
            record.add("\(exchange.withHeldBody { $0.count })")
            return .next
        }
        let source = PiecesSource(Array(repeating: Bytes("x"), count: 100_000))
        let kernel = try makeKernel([plugin], MockTransport { _, _ in .source(200, Fields(), source) })

        let count = try await kernel.send(Request(.get, anywhere)).body.collect(upTo: .mebibytes(1)).count

        #expect(record.lines == ["100000"])
        #expect(count == 100_000)
    }

    @Test func `a request's body that was held is sent`() async throws {
        let sent = Record()
        let plugin = ScriptedPlugin("holder")
        plugin.onRequest = { exchange in
            guard exchange.visit == .held else { return .hold(upTo: .kibibytes(1)) }
            exchange.request["X-Length"] = exchange.withHeldBody { "\($0.count)" }
            return .next
        }
        let transport = MockTransport { request, _ in
            if case .bytes(let bytes)? = request.body?.nextIfReady() { sent.add(bytes.text) }
            return .respond(200)
        }
        let kernel = try makeKernel([plugin], transport)

        _ = try await kernel.send(Request(.post, anywhere, body: Body(PiecesSource(["pay", "load"]))))

        #expect(sent.lines == ["payload"])
        #expect(transport.requests.first?.fields["X-Length"] == "7")
    }

    @Test func `a body that breaks while it is held is a failure for the plugin that holds it`() async throws {
        let record = Record()
        let plugin = holding(upTo: 100, record)
        plugin.onFailure = { exchange in
            record.add("failure \(exchange.failure?.code.name ?? "")")
            return .next
        }
        let broken = PiecesSource(["ab"], ending: .broken(PlugboardError(.bodyCut, "cut")))
        let kernel = try makeKernel([plugin], MockTransport { _, _ in .source(200, Fields(), broken) })

        let error = try await failure(of: kernel, Request(.get, anywhere))

        #expect(error.code == .bodyCut)
        #expect(record.lines == ["failure body.cut"])
    }

    @Test func `sources are wrapped innermost first, and see every byte`() async throws {
        func marking(_ id: String, priority: Int) -> ScriptedPlugin {
            let plugin = ScriptedPlugin(id, priority: priority)
            plugin.onResponse = { exchange in
                exchange.wrapResponseBody { Marking(id, $0) }
                return .next
            }
            return plugin
        }
        let kernel = try makeKernel(
            [marking("a", priority: 1), marking("b", priority: 2)],
            MockTransport { _, _ in .respond(200, Fields(), ["x", "y"]) })

        let text = try await kernel.send(Request(.get, anywhere)).body.text()

        #expect(text == "a(b(x))a(b(y))")
    }

    @Test func `a wrapped request body is what the transport sends`() async throws {
        let sent = Record()
        let plugin = ScriptedPlugin("a")
        plugin.onRequest = { exchange in
            exchange.wrapRequestBody { Marking("a", $0) }
            return .next
        }
        let transport = MockTransport { request, _ in
            request.body?.pull(Pull(RecordingReceiver(sent)))
            return .respond(200)
        }
        let kernel = try makeKernel([plugin], transport)

        _ = try await kernel.send(Request(.post, anywhere, body: .text("x")))

        #expect(sent.lines == ["a(x)"])
    }

    @Test func `trailers come with the end`() async throws {
        let source = PiecesSource(["x"], ending: .end(trailers: ["X-Sum": "1"]))
        let kernel = try makeKernel([], MockTransport { _, _ in .source(200, Fields(), source) })

        var iterator = try await kernel.send(Request(.get, anywhere)).body.makeAsyncIterator()
        while try await iterator.next() != nil {}

        #expect(iterator.trailers["X-Sum"] == "1")
    }

    @Test func `a slow reader stops the pulling at the buffer's limit`() async throws {
        let source = PiecesSource((0..<100).map { _ in String(repeating: "x", count: 1024) })
        let kernel = try makeKernel([], MockTransport { _, _ in .source(200, Fields(), source) }) {
            $0.kernel.bufferLimit = .kibibytes(4)
        }

        let response = try await kernel.send(Request(.get, anywhere))
        let pulledBeforeReading = source.pulls
        let count = try await response.body.collect(upTo: .mebibytes(1)).count

        #expect(pulledBeforeReading <= 5)
        #expect(count == 100 * 1024)
    }

    @Test func `dropping the body cancels the exchange`() async throws {
        let record = Record()
        let closed = Gate()
        let plugin = ScriptedPlugin("a")
        plugin.onClose = { _, outcome in
            record.add("\(outcome)")
            closed.admit()
        }
        let source = PiecesSource((0..<100).map { _ in String(repeating: "x", count: 1024) })
        let kernel = try makeKernel([plugin], MockTransport { _, _ in .source(200, Fields(), source) }) {
            $0.kernel.bufferLimit = .kibibytes(4)
        }

        _ = try await kernel.send(Request(.get, anywhere)).status
        try await closed.opened()

        #expect(record.lines == ["cancelled"])
        #expect(source.releases == 1)
    }

    @Test func `a broken body fails the reader and closes the turns as failed`() async throws {
        let record = Record()
        let broken = PiecesSource(["ab"], ending: .broken(PlugboardError(.bodyCut, "cut")))
        let kernel = try makeKernel(
            [recorder("a", priority: 1, record)], MockTransport { _, _ in .source(200, Fields(), broken) })

        let response = try await kernel.send(Request(.get, anywhere))

        await #expect(throws: PlugboardError(.bodyCut, "cut", attempt: 1)) {
            try await response.body.collect(upTo: .kibibytes(1))
        }
        #expect(record.lines.last == "a close failed")
    }

    @Test(arguments: [(Method.head, 200), (.get, 204), (.get, 304)])
    func `a response of a plugin has no body where none may be`(method: Method, status: Int) async throws {
        let source = PiecesSource(["forbidden"])
        let record = Record()
        let responder = ScriptedPlugin("responder", priority: 2)
        responder.onRequest = { _ in .respond(ResponseHead(status: status), Body(source)) }
        let outer = ScriptedPlugin("outer", priority: 1)
        outer.onResponse = { exchange in
            exchange.wrapResponseBody {
                record.add("has a body")
                return Marking("outer", $0)
            }
            return .next
        }
        let kernel = try makeKernel([outer, responder])

        let response = try await kernel.send(Request(method, anywhere))
        let text = try await response.body.text()
        try await source.released.opened()

        #expect(response.status == status)
        #expect(text.isEmpty && source.pulls == 0)
        #expect(record.lines.isEmpty)
    }

    @Test func `collecting more than the limit is an error`() async throws {
        let kernel = try makeKernel([], MockTransport { _, _ in .respond(200, Fields(), ["abc", "def"]) })

        let response = try await kernel.send(Request(.get, anywhere))

        let error = await #expect(throws: PlugboardError.self) { try await response.body.collect(upTo: .bytes(5)) }
        #expect(error?.code == .bodyLimit)
    }
}

/// Puts its name around each piece.
private final class Marking: BodySource {
    private let name: String
    private let inner: InnerBody

    init(_ name: String, _ inner: InnerBody) {
        self.name = name
        self.inner = inner
    }

    var length: Int? { nil }

    func pull(_ pull: Pull) {
        let name = name
        inner.withPiece { view in
            switch view {
            case .bytes(let bytes): pull.give(Bytes("\(name)(\(String(decoding: bytes, as: UTF8.self)))"))
            case .end(let trailers): pull.end(trailers: trailers)
            case .broken(let error): pull.fail(error)
            }
        }
    }
}

/// Records the piece that a pull was completed with.
final class RecordingReceiver: PullReceiver {
    private let record: Record

    init(_ record: Record) { self.record = record }

    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        switch piece {
        case .bytes(let bytes): record.add(bytes.text)
        case .end: record.add("end")
        case .broken(let error): record.add(error.code.name)
        }
        return true
    }
}
