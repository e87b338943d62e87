import Plugboard
import PlugboardRanges
import TestSupport
import Testing

@testable import PlugboardDownloads

/// What the workers of one file share.
struct SegmentBoardTests {
    private let content = RangeServer.content(100_000)
    private let folder: TemporaryFolder
    private let start = ContinuousClock.now

    init() throws { folder = try TemporaryFolder() }

    /// A board whose workers are measured for two seconds.
    private func board(sources: Int = 1) throws -> SegmentBoard {
        let partial = try PartialFile(folder.file("file"))
        try partial.begin(
            Representation(validator: .entityTag("\"a\""), length: content.count, coding: ""), url: "url", name: nil)
        return SegmentBoard(
            partial, length: content.count, minimum: 1000, trial: SegmentTrial(patience: .seconds(2), now: start),
            sources: sources, pace: DownloadPace(nil), limit: nil, resumed: 0)
    }

    /// Writes the next bytes of a worker, and returns whether it must wait then.
    @discardableResult
    private func write(_ range: Range<Int>, _ worker: Int, of source: Int = 0, on board: SegmentBoard) async throws
        -> Bool
    {
        try await board.write(Bytes(Array(content[range])), at: range.lowerBound, worker, of: source).isHeld
    }

    /// Two workers, of which the second is held.
    private func holding() async throws -> SegmentBoard {
        let board = try board()
        let claims = [await board.claim(0, of: 0), await board.claim(1, of: 0)]
        #expect(claims == [0..<100_000, 50_000..<100_000])
        try await write(0..<1000, 0, on: board)
        try await write(50_000..<51_000, 1, on: board)
        for tenth in [1, 22] { #expect(await board.tryFewer(now: start + .milliseconds(100 * tenth))) }
        return board
    }

    @Test func `a worker that is held goes on when it shows that it is needed`() async throws {
        let board = try await holding()
        let isHeld = try await write(51_000..<52_000, 1, on: board)
        let others = await board.holds(0)

        // Nothing comes meanwhile.
        let steps = [
            await board.tryFewer(now: start + .milliseconds(2300)),
            await board.tryFewer(now: start + .milliseconds(2400)),
        ]
        let isHeldThen = await board.holds(1)

        #expect(isHeld && !others && steps == [true, false] && !isHeldThen)
    }

    @Test func `a worker that does not help has nothing to receive any more`() async throws {
        let board = try await holding()

        #expect(await board.tryFewer(now: start + .milliseconds(2300)))
        try await write(1000..<40_000, 0, on: board)
        #expect(await board.tryFewer(now: start + .milliseconds(3400)))
        let claim = await board.claim(1, of: 0)
        let written = try await board.write(Bytes(Array(content[51_000..<52_000])), at: 51_000, 1, of: 0)

        #expect(claim == nil && written.count == 0 && !written.goesOn)
        #expect(await !board.holds(1))
    }

    @Test func `a worker is not held when the others have ended`() async throws {
        let board = try await holding()
        try await write(1000..<40_000, 0, on: board)

        await board.giveUp(0)
        let goesOn = await board.tryFewer(now: start + .milliseconds(2300))
        let isHeld = await board.holds(1)

        #expect(!goesOn && !isHeld)
    }

    @Test func `what a mirror has sent that is not trusted is received again from others`() async throws {
        let board = try board(sources: 2)
        _ = [await board.claim(0, of: 0), await board.claim(1, of: 1)]
        try await write(50_000..<60_000, 1, of: 1, on: board)
        try await write(0..<50_000, 0, on: board)

        try await board.distrust(1)
        let claims = [await board.claim(1, of: 1), await board.claim(0, of: 0), await board.claim(2, of: 0)]

        // The second half was the mirror's, and its rest goes with it.
        #expect(claims == [nil, 50_000..<60_000, 60_000..<100_000])
    }
}
