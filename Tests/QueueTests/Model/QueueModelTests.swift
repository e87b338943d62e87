import TestSupport
import Testing

@_spi(QueueStores) @testable import PlugboardQueue

/// The stores against the model: additions up to the limits, bodies in pieces, two processes that send, each on a
/// connection of its own, ends of processes, leases that end, changes of the network and of the clock, in an order that
/// a seed decides.
struct QueueModelTests {
    private static func limits(_ seed: UInt64) -> QueueLimits {
        // Narrow ones, which are reached, wide ones, and both with either choice of `whenFull`.
        let isNarrow = seed % 3 != 0
        return QueueLimits(
            requests: isNarrow ? 6 : 1000, bytes: isNarrow ? 500 : 1 << 20, dropsOldest: seed % 2 == 0,
            age: 3_000_000_000_000, resultAge: 6_000_000_000_000, longestWait: 300_000_000_000, lease: 30_000_000_000)
    }

    @Test(arguments: 0..<60) func `the file does what the table of the README says`(seed: UInt64) throws {
        try QueueModelTests.compare(seed, FileBench())
    }

    @Test(.enabled(if: PostgreSQLProcess.isAvailable, PostgreSQLProcess.skipped), arguments: 0..<60)
    func `the database does what the table of the README says`(seed: UInt64) async throws {
        try QueueModelTests.compare(seed, PostgreSQLBench(try await PostgreSQLProcess.shared.value))
    }

    private static func compare(_ seed: UInt64, _ bench: any ModelBench) throws {
        let run = ModelRun(seed: seed, QueueModelTests.limits(seed), bench)

        for step in 0..<250 {
            let action = try run.step()
            let lines = try run.lines()
            try #require(lines == run.model.lines, "step \(step) of seed \(seed): \(action)")
            try #require(try run.brokenLines() == [], "step \(step) of seed \(seed): \(action)")
        }
        try run.deliverAll()

        #expect(run.model.lines.allSatisfy { !$0.contains("waiting") && !$0.contains("sending") })
        if seed % 3 != 0 { #expect(run.refusals + run.drops > 0) }
    }
}
