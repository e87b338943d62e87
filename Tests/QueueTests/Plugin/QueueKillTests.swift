import Foundation
import Plugboard
import PlugboardJSON
import Synchronization
import TestSupport
import Testing

@_spi(QueueStores) @testable import PlugboardQueue

/// Two processes that queue and send on one store are killed at random moments, again and again, against a server that
/// counts.
///
/// In each process two requests of each category are under way at once, so that only the queue keeps their order. It is
/// the order in which they were handed over: what a process began first is carried out first.
///
/// `PLUGBOARD_KILLS` says how often; 200 take a minute or two.
@Suite(.timeLimit(.minutes(20)))
struct QueueKillTests {
    private static let kills = WriterProcess.variable("PLUGBOARD_KILLS").flatMap { Int($0) } ?? 4

    /// What the callers of one process have seen, over all its lives.
    private struct Seen: Sendable {
        var begun: Set<String> = []
        var kept: Set<String> = []
        var unexpected: [String] = []
    }

    /// Starts a process that is killed, again and again.
    private static func run(_ process: Int, kills: Int, store: QueueKillStore, url: String) async throws -> Seen {
        var random = SeededRandom(seed: UInt64(15 + process))
        var seen = Seen()
        var next = [1, 1, 1]
        for round in 0..<kills {
            let outcome = try await WriterProcess.run(
                "QueueKillRun",
                [
                    "PLUGBOARD_TEST_QUEUE": store.path, "PLUGBOARD_TEST_SCHEMA": store.schema ?? "",
                    "PLUGBOARD_TEST_URL": url, "PLUGBOARD_TEST_PROCESS": "\(process)",
                    "PLUGBOARD_TEST_START": next.map { "\($0)" }.joined(separator: " "),
                    "PLUGBOARD_TEST_DELAY": "\(UInt32.random(in: 5000...400_000, using: &random))",
                ])
            if outcome.status != 137 { seen.unexpected.append("round \(round): \(outcome.stdout) \(outcome.stderr)") }
            for line in outcome.stdout.split(separator: "\n") {
                let words = line.split(separator: " ").map(String.init)
                guard words.count == 2, let number = Numbered(words[1]) else { continue }
                if words[0] == "try" {
                    seen.begun.insert(words[1])
                    next[number.category] = max(next[number.category], number.value + 1)
                }
                if words[0] == "kept" { seen.kept.insert(words[1]) }
            }
        }
        return seen
    }

    @Test(.enabled(if: WriterProcess.variable("PLUGBOARD_TEST_QUEUE") == nil))
    func `no request is lost, none is carried out twice, and the order of a category is kept`() async throws {
        let folder = try TemporaryFolder("queue-kill")
        try await QueueKillTests.kill(QueueKillStore(path: folder.file("queue.sqlite")))
    }

    // With fsync, unlike other tests.
    @Test(
        .enabled(if: WriterProcess.variable("PLUGBOARD_TEST_QUEUE") == nil),
        .enabled(if: PostgreSQLProcess.isAvailable, PostgreSQLProcess.skipped))
    func `in a database no request is lost, none is carried out twice, and the order is kept`() async throws {
        let database = try await PostgreSQLProcess()
        try await QueueKillTests.kill(QueueKillStore(path: database.url, schema: try database.schema()))
    }

    private static func kill(_ store: QueueKillStore) async throws {
        let server = try CountingServer()
        let half = QueueKillTests.kills / 2
        async let first = QueueKillTests.run(0, kills: half, store: store, url: server.url)
        async let second = QueueKillTests.run(1, kills: QueueKillTests.kills - half, store: store, url: server.url)
        let seen = try await [first, second]
        // Nothing is dropped any more, so that what is left is delivered.
        server.isKind = true
        let last = try Kernel(
            plugins: [
                .queue {
                    store.set(&$0)
                    ($0.delay, $0.delayLimit) = (.milliseconds(1), .milliseconds(5))
                }
            ], log: .silent)
        while true {
            let statistics = try await last.queue.replay()
            if statistics.waiting + statistics.sending == 0 { break }
        }
        let dead = Set(try await last.queue.dead().map(\.id))
        await last.shutDown()

        let (begun, kept) = (seen[0].begun.union(seen[1].begun), seen[0].kept.union(seen[1].kept))
        let effects = server.effects
        #expect(seen.flatMap(\.unexpected) == [])
        #expect(begun.count > QueueKillTests.kills && !kept.isEmpty)
        let carriedOut = Set(effects.map(\.id))
        #expect(kept.subtracting(carriedOut).subtracting(dead) == [], "lost")
        // The server recognizes a repetition by its key, and does not carry it out.
        let twice = Dictionary(grouping: effects, by: \.id).filter { $0.value.count > 1 }.keys
        #expect(twice.sorted() == [], "carried out twice")
        #expect(effects.filter { !$0.isWhole }.map(\.id) == [], "another body")
        for process in 0..<2 {
            for category in 0..<3 {
                let numbers = effects.compactMap { Numbered($0.id) }
                    .filter { $0.process == process && $0.category == category }.map(\.value)
                // A request in the mode onFailure is not in the file while it is sent: another process may send one
                // that was queued after it.
                let overtaken = zip(numbers, numbers.dropFirst())
                    .filter { $0 > $1 && QueueKillRun.mode(of: $1) != .onFailure }.map { "\($1) after \($0)" }
                #expect(overtaken == [], "process \(process), category \(category)")
            }
        }
        print(
            "\(QueueKillTests.kills) kills: \(begun.count) begun, \(kept.count) kept, \(effects.count) effects, "
                + "\(server.arrivals) arrivals, \(server.refusals) refused, \(dead.count) dead")
    }
}

/// Where the queue is: a file, or a database with its schema.
struct QueueKillStore: Sendable {
    let path: String
    var schema: String?

    func set(_ settings: inout QueueSettings) {
        guard let schema, !schema.isEmpty else { return settings.path = path }
        (settings.store, settings.schema) = (path, schema)
        // Other machines see by it that a process has ended.
        settings.lease = .seconds(1)
    }
}

/// `1-2-17`: the seventeenth of process 1 in category 2.
private struct Numbered {
    let process: Int
    let category: Int
    let value: Int

    init?(_ text: String) {
        let parts = text.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3, (0..<2).contains(parts[0]), (0..<3).contains(parts[1]) else { return nil }
        (process, category, value) = (parts[0], parts[1], parts[2])
    }

    /// Small, or in several pieces, and another one for each number.
    var body: [UInt8] {
        let count = value % 11 == 0 ? 300_000 : value % 7 * 100
        return (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ value &+ category &* 7 &+ process &* 13) }
    }
}

/// Carries out each request once by its key, often loses the response, and often refuses.
private final class CountingServer: Sendable {
    struct Effect: Sendable {
        let id: String
        /// Whether the body is the one that was sent, byte by byte.
        let isWhole: Bool
    }

    private struct State {
        var effects: [Effect] = []
        var keys: Set<String> = []
        var arrivals = 0
        var refusals = 0
        var random = SeededRandom(seed: 7)
        var isKind = false
    }

    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    private let shared: Shared
    private let server: LoopbackServer

    init() throws {
        let shared = Shared()
        self.shared = shared
        server = try LoopbackServer { connection in
            while true {
                let request = try connection.readRequest()
                let (id, key) = (String(request.path.dropFirst()), request["Idempotency-Key"] ?? "")
                let isWhole = Numbered(id)?.body == request.body
                let fate = shared.state.withLock { state -> Int in
                    let fate = state.isKind ? 99 : Int.random(in: 0..<100, using: &state.random)
                    state.arrivals += 1
                    // A refusal has no effect.
                    if fate < 14 {
                        state.refusals += 1
                    } else if state.keys.insert(key).inserted {
                        state.effects.append(Effect(id: id, isWhole: isWhole))
                    }
                    return fate
                }
                switch fate {
                case ..<6: try connection.respond(status: 503)
                case ..<14: try connection.respond(status: 422)
                case ..<26: return connection.reset()
                default: try connection.respond(status: 200, body: "ok")
                }
            }
        }
    }

    var url: String { server.url("") }
    var effects: [Effect] { shared.state.withLock { $0.effects } }
    var arrivals: Int { shared.state.withLock { $0.arrivals } }
    var refusals: Int { shared.state.withLock { $0.refusals } }
    var isKind: Bool {
        get { shared.state.withLock { $0.isKind } }
        set { shared.state.withLock { $0.isKind = newValue } }
    }
}

/// The process that is killed.
@Suite(.enabled(if: WriterProcess.variable("PLUGBOARD_TEST_QUEUE") != nil), .timeLimit(.minutes(1)))
struct QueueKillRun {
    @Test func `a process that is killed`() async throws {
        let file = try #require(WriterProcess.variable("PLUGBOARD_TEST_QUEUE"))
        let url = try #require(WriterProcess.variable("PLUGBOARD_TEST_URL"))
        let start = try #require(WriterProcess.variable("PLUGBOARD_TEST_START")).split(separator: " ").compactMap {
            Int($0)
        }
        let process = try #require(WriterProcess.variable("PLUGBOARD_TEST_PROCESS"))
        let delay = try #require(WriterProcess.variable("PLUGBOARD_TEST_DELAY").flatMap { UInt32($0) })
        let kernel = try Kernel(
            plugins: [
                .queue {
                    QueueKillStore(path: file, schema: WriterProcess.variable("PLUGBOARD_TEST_SCHEMA")).set(&$0)
                    $0.delay = .milliseconds(1)
                    $0.delayLimit = .milliseconds(10)
                    $0.attempts = 1_000_000
                }
            ], log: .silent)
        WriterProcess.killSelf(afterMicroseconds: delay)
        await withTaskGroup(of: Void.self) { group in
            // Requests that are begun on one loop go on in that order.
            for (category, executor) in zip(0..<3, kernel.executors + kernel.executors + kernel.executors) {
                group.addTask(executorPreference: executor) {
                    await QueueKillRun.send("\(process)-\(category)", from: start[category], to: url, kernel)
                }
            }
        }
    }

    fileprivate static func mode(of number: Int) -> QueueMode {
        let modes: [QueueMode] = [.later, .journal, .onFailure, .journal, .onFailure]
        return modes[number % modes.count]
    }

    /// Hands requests over in their order, and waits for each only when the next is under way too.
    private static func send(_ line: String, from start: Int, to url: String, _ kernel: Kernel) async {
        var before: (id: String, handle: ExchangeHandle)?
        for number in start... {
            let id = "\(line)-\(number)"
            var request = Request(.post, "\(url)/\(id)", body: .bytes(Numbered(id)?.body ?? []))
            request.queue.mode = mode(of: number)
            request.queue.id = id
            request.queue.category = String(line.suffix(1))
            tell("try \(id)")
            let handle = kernel.begin(request)
            if let before { await tell(before.id, before.handle) }
            before = (id, handle)
        }
    }

    private static func tell(_ id: String, _ handle: ExchangeHandle) async {
        do {
            let response = try await handle.response
            // 503 for a request that the caller waits for is the caller's to deal with.
            if response.status == 200 { tell("kept \(id)") }
        } catch {
            if error.code == .queued { tell("kept \(id)") }
        }
    }

    /// At once, because the process ends without a word.
    private static func tell(_ line: String) {
        let bytes = Array("\n\(line)\n".utf8)
        _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    }
}
