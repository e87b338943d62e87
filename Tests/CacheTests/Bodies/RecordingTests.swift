import Plugboard
import PlugboardEventLoop
import Synchronization
import TestSupport
import Testing

@testable import PlugboardCache

/// The speed of a body is limited by the store, tested with a plugin that records it.
struct RecordingTests {
    @Test func `a body waits for room, and is stored whole`() async throws {
        let writer = SlowWriter(isFull: true)
        let bench = try RecordingBench(writer)
        let body = Task { try await bench.body() }
        try await writer.asked.opened()
        #expect(writer.bytes == "one")

        writer.makeRoom()

        #expect(try await body.value == "onetwothree")
        #expect(writer.bytes == "onetwothree" && writer.isCommitted && bench.isStored)
    }

    @Test func `a store without room delays a body only for its patience`() async throws {
        let writer = SlowWriter(isFull: true)
        let bench = try RecordingBench(writer)
        let body = Task { try await bench.body() }
        try await writer.asked.opened()

        // The timer may be set a turn later than the store was asked.
        let moving = Task {
            while !Task.isCancelled {
                bench.clock.advance(by: .seconds(2))
                await Task.yield()
            }
        }
        defer { moving.cancel() }

        #expect(try await body.value == "onetwothree")
        #expect(writer.bytes == "one" && !writer.isCommitted && writer.isDiscarded && !bench.isStored)
    }

    @Test(arguments: [(11...11, true), (0...20, true), (12...12, false), (0...10, false)])
    func `only a body of the right length is stored`(lengths: ClosedRange<Int>, expected: Bool) async throws {
        let writer = SlowWriter(isFull: false)
        let bench = try RecordingBench(writer, lengths: lengths)

        let body = try await bench.body()

        #expect(body == "onetwothree")
        #expect(writer.isCommitted == expected && writer.isDiscarded != expected)
    }

    @Test func `a body that exceeds the limit continues unstored`() async throws {
        let writer = SlowWriter(isFull: false)
        let bench = try RecordingBench(writer, limit: 5)

        let body = try await bench.body()

        #expect(body == "onetwothree")
        #expect(!writer.isCommitted && writer.isDiscarded)
    }
}

/// A kernel whose only plugin records the body "onetwothree", which comes in three pieces.
private final class RecordingBench: Sendable {
    private let kernel: Kernel
    let clock = ManualClock()
    private let stored = Gate()

    var isStored: Bool { stored.admitted > 0 }

    init(_ writer: SlowWriter, lengths: ClosedRange<Int>? = nil, limit: Int = 1000) throws {
        let response = StoredResponse(
            key: CacheKey(text: "k"), url: "http://a.test/", status: 200, fields: Fields(), requested: .zero,
            received: .zero)
        let recording = Recording(
            writer, of: ResponseDecision.Storing(response: response, replaced: [], lengths: lengths), limit: limit)
        let plugin = ScriptedPlugin("recorder")
        plugin.onResponse = { [unowned plugin] exchange in
            guard let host = plugin.host else { return .next }
            exchange.wrapResponseBody { TeeSource($0, into: recording, host: host) }
            return .next
        }
        plugin.onClose = { [stored] _, _ in
            if recording.commit() { stored.admit() }
        }
        let transport = MockTransport { _, _ in .respond(200, Fields(), ["one", "two", "three"]) }
        kernel = try makeKernel([plugin], transport, clock: clock)
    }

    func body() async throws -> String {
        try await kernel.send(Request(.get, "http://a.test/")).body.text()
    }
}

/// A writer that has no room until the test gives it some.
private final class SlowWriter: EntryWriter {
    private struct State {
        var isFull: Bool
        var bytes: [UInt8] = []
        var waiting: (@Sendable () -> Void)?
        var isCommitted = false
        var isDiscarded = false
    }

    private let state: Mutex<State>
    /// Admits one for each request for room.
    let asked = Gate()

    init(isFull: Bool) { state = Mutex(State(isFull: isFull)) }

    var bytes: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }
    var isCommitted: Bool { state.withLock { $0.isCommitted } }
    var isDiscarded: Bool { state.withLock { $0.isDiscarded } }

    func makeRoom() {
        let waiting = state.withLock { state in
            state.isFull = false
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?()
    }

    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state.withLock { $0.bytes += bytes }
        return true
    }

    /// Full from the first piece on.
    var hasRoom: Bool { state.withLock { !$0.isFull || $0.bytes.isEmpty } }

    func room(_ run: @escaping @Sendable () -> Void) {
        state.withLock { $0.waiting = run }
        asked.admit()
    }

    func commit(
        _ head: StoredHead, replacing old: [CacheEntry], _ done: @escaping @Sendable (CacheEntry?) -> Void
    ) {
        state.withLock { $0.isCommitted = true }
        done(nil)
    }

    func discard() { state.withLock { $0.isDiscarded = true } }
}
