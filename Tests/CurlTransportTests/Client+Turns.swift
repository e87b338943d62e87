import PlugboardCurl
import PlugboardTransport
import Synchronization
import TestSupport

extension Client {
    /// Moves the clock in steps until the attempt is over. Each step is a turn of the loop, which looks at sockets too.
    func goOn(_ clock: ManualClock, until record: AttemptRecord) async throws {
        let limit = ContinuousClock.now + Gate.patience
        while record.end.admitted == 0, .now < limit {
            clock.advance(by: .milliseconds(500))
            await onLoop {}
        }
    }

    /// Waits until the loop runs no turn for a while. False if it never rests.
    func comesToRest() async throws -> Bool {
        let counter = TurnCounter()
        await onLoop { [loop] in loop.join(counter) }
        var rests = false
        for _ in 0..<50 where !rests {
            let before = counter.turns
            try await Task.sleep(for: .milliseconds(20))
            rests = counter.turns == before
        }
        await onLoop { [loop] in loop.leave(counter) }
        return rests
    }

    /// How long the loop takes for its next turns.
    func duration(ofTurns count: Int) async throws -> Duration {
        let counter = TurnCounter(limit: count)
        let start = ContinuousClock.now
        await onLoop { [loop] in loop.join(counter) }
        try await counter.reached.opened()
        await onLoop { [loop] in loop.leave(counter) }
        return .now - start
    }
}

/// Counts the turns of a loop.
///
/// Sendable because the count is atomic, and the rest is constant.
private final class TurnCounter: LoopParticipant, @unchecked Sendable {
    private let count = Atomic(0)
    private let limit: Int
    /// Opens at the turn whose number is the limit.
    let reached = Gate()
    var turns: Int { count.load(ordering: .relaxed) }

    init(limit: Int = .max) { self.limit = limit }

    override func settle() {
        if count.add(1, ordering: .relaxed).newValue == limit { reached.open() }
    }
}
