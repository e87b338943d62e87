import Plugboard
import PlugboardEventLoop
import PlugboardKit
import TestSupport
import Testing

/// What a source may complete a pull with, and what happens to pulls that are not completed.
struct PieceTests {
    private let anywhere = "https://a.test/"

    @Test func `a piece of nothing is allowed, and its reader sees only those of something`() async throws {
        let plugin = ScriptedPlugin("gaps")
        plugin.onResponse = { exchange in
            exchange.wrapResponseBody { _ in PiecesSource(["", "a", "", "", "b", ""]) }
            return .next
        }
        let kernel = try makeKernel([plugin], MockTransport { _, _ in .respond(200, Fields(), ["x"]) })

        let source = try await kernel.send(Request(.get, anywhere)).body.source
        var pieces: [String] = []
        while true {
            let piece = await withCheckedContinuation { source.pull(Pull(Completion($0))) }
            guard case .bytes(let bytes) = piece else { break }
            pieces.append(bytes.text)
        }

        #expect(pieces == ["a", "b"])
    }

    @Test func `pieces of nothing change neither a request's body nor one that is held`() async throws {
        let sent = Record()
        let plugin = ScriptedPlugin("gaps", priority: 100)
        plugin.onRequest = { exchange in
            exchange.wrapRequestBody { _ in PiecesSource(["", "pay", "", "load", ""]) }
            return .next
        }
        let holder = ScriptedPlugin("holder", priority: 200)
        holder.onRequest = { exchange in
            guard exchange.visit == .held else { return .hold(upTo: .bytes(7)) }
            sent.add(exchange.withHeldBody { String(decoding: $0, as: UTF8.self) })
            return .next
        }
        let kernel = try makeKernel([plugin, holder], MockTransport { _, _ in .respond(200) })

        _ = try await kernel.send(Request(.post, anywhere, body: .text("x")))

        #expect(sent.lines == ["payload"])
    }

    @Test func `a source that never gives a byte holds no exchange, and the log names its plugin`() async throws {
        let clock = ManualClock()
        let warned = Record()
        let told = Gate()
        let plugin = ScriptedPlugin("hollow")
        plugin.onResponse = { exchange in
            // The body of the other request may be pulled as often before it is released.
            if exchange.request.method == .get { exchange.wrapResponseBody { _ in HollowSource() } }
            return .next
        }
        let log = KernelLog(level: .warning) { _, source, text in
            warned.add("\(source): \(text)")
            told.open()
        }
        let kernel = try makeKernel([plugin], MockTransport(), clock: clock, log: log)
        var request = Request(.get, anywhere)
        request.options.timeout = .seconds(5)

        let hollow = kernel.begin(request)
        let response = try await hollow.response
        try await told.opened()
        _ = try await kernel.send(Request(.head, anywhere))
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: PlugboardError.self) { _ = try await response.body.text() }

        #expect(error?.code == .timeoutExchange)
        #expect(warned.lines.first?.hasPrefix("hollow: The plugin hollow has completed 10000 pulls of a body") == true)
        #expect(warned.lines.count == 1, "\(warned.lines)")
    }

    @Test func `a reader that pulls again within each piece does not grow the stack`() async throws {
        let record = Record()
        let ended = Gate()
        let plugin = ScriptedPlugin("reader")
        plugin.onResponse = { exchange in
            exchange.wrapResponseBody { inner in
                NestingReader(
                    inner,
                    ended: { count in
                        record.add("\(count)")
                        ended.open()
                    })
            }
            return .next
        }
        let source = PiecesSource(Array(repeating: "x", count: 200_000))
        let kernel = try makeKernel([plugin], MockTransport { _, _ in .source(200, Fields(), source) })

        let text = try await kernel.send(Request(.get, anywhere)).body.text()
        try await ended.opened()

        #expect(text.isEmpty && record.lines == ["200000"])
    }

    @Test func `a body that is given back breaks the pull that is open, after the hook has returned`() async throws {
        let told = Record()
        let broken = Gate()
        let silent = PiecesSource([Bytes]())
        let plugin = ScriptedPlugin("impatient")
        plugin.onResponse = { exchange in
            exchange.wrapResponseBody { inner in
                inner.withPiece { piece in
                    if case .broken(let error) = piece { told.add("\(error.code)") } else { told.add("other") }
                    broken.open()
                }
                told.add("open")
                inner.release()
                told.add("given back")
                return silent
            }
            return .next
        }
        let kernel = try makeKernel([plugin], MockTransport { _, _ in .source(200, Fields(), Silent()) })

        _ = try await kernel.send(Request(.get, anywhere)).body.text()
        try await broken.opened()

        #expect(told.lines == ["open", "given back", "cancelled"])
    }
}

/// Completes each pull at once, and never with a byte.
private final class HollowSource: BodySource {
    var length: Int? { nil }
    func pull(_ pull: Pull) { pull.give(.empty) }
}

/// Reads its inner body to the end, each pull within the last piece, and is empty itself.
///
/// Sendable because it is called on the loop only.
private final class NestingReader: BodySource, @unchecked Sendable {
    private let inner: InnerBody
    private let ended: (Int) -> Void
    private var count = 0

    init(_ inner: InnerBody, ended: @escaping (Int) -> Void) {
        self.inner = inner
        self.ended = ended
    }

    var length: Int? { nil }

    func pull(_ pull: Pull) {
        inner.withPiece { [self] piece in
            guard case .bytes(let bytes) = piece else {
                ended(count)
                pull.end()
                return
            }
            count += bytes.count
            self.pull(pull)
        }
    }
}

/// Completes no pull.
private final class Silent: BodySource {
    var length: Int? { nil }
    func pull(_ pull: Pull) {}
}

private final class Completion: PullReceiver {
    private let continuation: CheckedContinuation<Piece, Never>

    init(_ continuation: CheckedContinuation<Piece, Never>) { self.continuation = continuation }

    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        continuation.resume(returning: piece)
        return true
    }
}
