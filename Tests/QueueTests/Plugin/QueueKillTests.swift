import Foundation
import Plugboard
import PlugboardJSON
import Synchronization
import TestSupport
import Testing

@testable import PlugboardQueue

/// A process that queues and sends is killed at random moments, again and again, against a server that counts.
///
/// `PLUGBOARD_KILLS` says how often; 200 take some minutes.
@Suite(.timeLimit(.minutes(20)))
struct QueueKillTests {
    private static let kills = WriterProcess.variable("PLUGBOARD_KILLS").flatMap { Int($0) } ?? 8

    @Test(.enabled(if: WriterProcess.variable("PLUGBOARD_TEST_QUEUE") == nil))
    func `no request is lost, none is carried out twice, and the order of a category is kept`() async throws {
        let server = try CountingServer()
        let folder = try TemporaryFolder("queue-kill")
        let file = folder.file("queue.sqlite")
        var random = SeededRandom(seed: 15)
        var begun: Set<String> = []
        var kept: Set<String> = []
        var next = [1, 1, 1]

        for round in 1...QueueKillTests.kills {
            let outcome = try await WriterProcess.run(
                "QueueKillRun",
                [
                    "PLUGBOARD_TEST_QUEUE": file, "PLUGBOARD_TEST_URL": server.url,
                    "PLUGBOARD_TEST_START": next.map { "\($0)" }.joined(separator: " "),
                    "PLUGBOARD_TEST_DELAY": "\(UInt32.random(in: 5000...400_000, using: &random))",
                ])
            #expect(outcome.status == 137, "round \(round): \(outcome.stdout) \(outcome.stderr)")
            for line in outcome.stdout.split(separator: "\n") {
                let words = line.split(separator: " ").map(String.init)
                guard words.count == 2, let number = Numbered(words[1]) else { continue }
                if words[0] == "try" {
                    begun.insert(words[1])
                    next[number.category] = max(next[number.category], number.value + 1)
                }
                if words[0] == "kept" { kept.insert(words[1]) }
            }
        }
        // Nothing is dropped any more, so that what is left is delivered.
        server.isKind = true
        let last = try Kernel(
            plugins: [
                .queue {
                    $0.path = file; $0.delay = .milliseconds(1); $0.delayLimit = .milliseconds(5)
                }
            ], log: .silent)
        while true {
            let statistics = try await last.queue.replay()
            if statistics.waiting + statistics.sending == 0 { break }
        }
        let dead = try await last.queue.dead()
        await last.shutDown()

        let arrivals = server.arrivals
        #expect(begun.count > QueueKillTests.kills && !kept.isEmpty)
        #expect(dead.isEmpty)
        #expect(kept.subtracting(arrivals.map(\.id)) == [], "lost")
        // The server recognizes a repetition by its key, so one key for each request means one effect.
        let keys = Dictionary(grouping: arrivals, by: \.id).mapValues { Set($0.map(\.key)) }
        #expect(keys.filter { $0.value.count != 1 }.isEmpty, "several keys")
        var seen: Set<String> = []
        let effects = arrivals.filter { seen.insert($0.key).inserted }.map(\.id)
        for category in 0..<3 {
            let numbers = effects.compactMap { Numbered($0) }.filter { $0.category == category }.map(\.value)
            let overtaken = zip(numbers, numbers.dropFirst()).filter { $0 > $1 }.map { "\($1) after \($0)" }
            #expect(overtaken == [], "category \(category)")
        }
        print(
            "\(QueueKillTests.kills) kills: \(begun.count) begun, \(kept.count) kept, \(effects.count) effects, \(arrivals.count) arrivals"
        )
    }
}

/// `2-17`: the seventeenth of category 2.
private struct Numbered {
    let category: Int
    let value: Int

    init?(_ text: String) {
        let parts = text.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 2, (0..<3).contains(parts[0]) else { return nil }
        (category, value) = (parts[0], parts[1])
    }
}

/// Carries out each request, and often loses the response or says that it is not able to.
private final class CountingServer: Sendable {
    struct Arrival: Sendable {
        let id: String
        let key: String
    }

    private struct State {
        var arrivals: [Arrival] = []
        var random = SeededRandom(seed: 7)
        var isKind = false
    }

    private let state: Shared
    private let server: LoopbackServer

    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    init() throws {
        let shared = Shared()
        state = shared
        server = try LoopbackServer { connection in
            while true {
                let request = try connection.readRequest()
                let fate = shared.state.withLock { state -> Int in
                    let fate = state.isKind ? 99 : Int.random(in: 0..<100, using: &state.random)
                    // A refusal has no effect.
                    if fate >= 8 {
                        state.arrivals.append(
                            Arrival(id: String(request.path.dropFirst()), key: request["Idempotency-Key"] ?? ""))
                    }
                    return fate
                }
                switch fate {
                case ..<8: try connection.respond(status: 503)
                case ..<20: return connection.reset()
                default: try connection.respond(status: 200, body: "ok")
                }
            }
        }
    }

    var url: String { server.url("") }
    var arrivals: [Arrival] { state.state.withLock { $0.arrivals } }
    var isKind: Bool {
        get { state.state.withLock { $0.isKind } }
        set { state.state.withLock { $0.isKind = newValue } }
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
        let delay = try #require(WriterProcess.variable("PLUGBOARD_TEST_DELAY").flatMap { UInt32($0) })
        let kernel = try Kernel(
            plugins: [
                .queue {
                    $0.path = file
                    $0.delay = .milliseconds(1)
                    $0.delayLimit = .milliseconds(10)
                    $0.attempts = 1_000_000
                }
            ], log: .silent)
        WriterProcess.killSelf(afterMicroseconds: delay)
        await withTaskGroup(of: Void.self) { group in
            for category in 0..<3 {
                group.addTask { await QueueKillRun.send(category, from: start[category], to: url, kernel) }
            }
        }
    }

    private static func send(_ category: Int, from start: Int, to url: String, _ kernel: Kernel) async {
        let modes: [QueueMode] = [.later, .journal, .onFailure]
        for number in start... {
            let id = "\(category)-\(number)"
            var request = Request(.post, "\(url)/\(id)", body: .text(String(repeating: "x", count: number % 7 * 100)))
            request.queue.mode = modes[(number + category) % 3]
            request.queue.id = id
            request.queue.category = "\(category)"
            tell("try \(id)")
            do {
                let response = try await kernel.send(request)
                // 503 for a request that the caller waits for is the caller's to deal with.
                if response.status == 200 { tell("kept \(id)") }
            } catch {
                if error.code == .queued { tell("kept \(id)") }
            }
        }
    }

    /// At once, because the process ends without a word.
    private static func tell(_ line: String) {
        let bytes = Array("\n\(line)\n".utf8)
        _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    }
}
