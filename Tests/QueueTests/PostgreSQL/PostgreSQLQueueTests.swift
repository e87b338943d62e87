import Plugboard
import PlugboardQueue
import TestSupport
import Testing

@testable import PlugboardQueuePostgreSQL

/// The plugin on a database, linked and loaded.
@Suite(.enabled(if: PostgreSQLProcess.isAvailable, PostgreSQLProcess.skipped), .timeLimit(.minutes(2)))
struct PostgreSQLQueueTests {
    @Test(arguments: Linkage.allCases)
    func `a request is queued, sent with its whole body, and its outcome is acknowledged`(linkage: Linkage) async throws
    {
        let scene = try await PostgreSQLScene()
        let kernel = try scene.kernel(linkage)
        let pieces = AsyncStream<Bytes> { continuation in
            for number in 0..<40 { continuation.yield(Bytes([UInt8](repeating: UInt8(number), count: 20_000))) }
            continuation.finish()
        }
        var request = Request(.put, scene.origin.url("/big"), body: .stream(pieces))
        request["X-Kind"] = "a \"quoted\" one, with \\ and e"

        let ticket = try await kernel.sendLater(request)
        let outcome = try await kernel.queue.outcome(of: ticket)
        let count = try await kernel.queue.acknowledge([ticket])

        #expect(outcome.hasSucceeded && outcome.responseBody?.text == "carried out" && count == 1)
        #expect(scene.requests.lines == ["PUT /big a \"quoted\" one, with \\ and e 800000"])
        #expect(try scene.run("SELECT (SELECT count(*) FROM @request) + (SELECT count(*) FROM @piece)") == [["0"]])
        await kernel.shutDown()
    }

    @Test func `what one process queues another sends as soon as it is told`() async throws {
        let scene = try await PostgreSQLScene()
        let worker = try scene.kernel()
        _ = try await worker.queue.statistics()
        let writer = try scene.kernel(settings: ["automatic": false])

        let ticket = try await writer.sendLater(scene.post("a"))
        let outcome = try await writer.queue.outcome(of: ticket)

        #expect(outcome.hasSucceeded && scene.requests.lines == ["POST /a - 4"])
        for kernel in [worker, writer] { await kernel.shutDown() }
    }

    @Test func `several processes send each request once, and those of a category in their order`() async throws {
        let scene = try await PostgreSQLScene()
        let writer = try scene.kernel(settings: ["automatic": false])
        for number in 0..<30 { _ = try await writer.sendLater(scene.post("\(number)", category: "c\(number % 3)")) }

        let workers = try (0..<3).map { _ in try scene.kernel() }
        while try await writer.queue.statistics().done < 30 { try await Task.sleep(for: .milliseconds(10)) }

        let numbers = scene.requests.lines.compactMap { Int($0.split(separator: " ")[1].dropFirst()) }
        #expect(numbers.sorted() == Array(0..<30))
        for category in 0..<3 {
            let own = numbers.filter { $0 % 3 == category }
            #expect(own == own.sorted())
        }
        for kernel in workers + [writer] { await kernel.shutDown() }
    }

    @Test func `requests of a process that is gone are sent when its lease has ended, by the clock of the server`()
        async throws
    {
        let scene = try await PostgreSQLScene()
        let writer = try scene.kernel(settings: ["automatic": false])
        _ = try await writer.sendLater(scene.post("a"))
        try scene.run("UPDATE @request SET state = 3, owner = 'gone', lease = @now(NULL) + 1500000000")

        let worker = try scene.kernel()
        _ = try await worker.queue.statistics()
        let early = scene.requests.lines
        while scene.requests.lines.isEmpty { try await Task.sleep(for: .milliseconds(10)) }

        #expect(early.isEmpty && scene.requests.lines == ["POST /a - 4"])
        for kernel in [worker, writer] { await kernel.shutDown() }
    }

    @Test func `a queue without this product says which one it needs`() async throws {
        let scene = try await PostgreSQLScene()

        let error = #expect(throws: PlugboardError.self) { try scene.kernel(.loaded, library: "plugboard-queue") }

        #expect(error?.reason.contains("PlugboardQueuePostgreSQL") == true)
    }
}
