import PlugboardBorder
import PlugboardEventLoop

/// The outcomes of one turn of a loop, which are handed to the tasks that wait for them at its end.
///
/// So a response that came whole is handed over whole, and a turn with many responses wakes few threads: each wake-up
/// of a thread of Swift's pool that sleeps costs as much as a fifth of a small exchange.
///
/// Used on the loop only.
final class OutcomeBatch {
    /// An outcome, and the continuation of the task that waits for it.
    struct Ready: Sendable {
        let outcome: ProgramOutcome.Outcome
        let continuation: UnsafeContinuation<ProgramOutcome.Outcome, Never>

        func resume() { continuation.resume(returning: outcome) }
    }

    /// The number of tasks in the pool from which on a task of the pool resumes them all.
    private static let relayed = 2
    /// The most outcomes for which memory is kept from one turn to the next.
    private static let keptRoom = 256

    private let loop: EventLoop
    // Unchecked, because the functions that change these call no other code meanwhile.
    @exclusivity(unchecked) private var outcomes: [ProgramOutcome] = []
    /// Those that were handed over in this turn, which are released apart, because that may run code of the program.
    @exclusivity(unchecked) private var handedOver: [ProgramOutcome] = []
    @exclusivity(unchecked) private var pool: [Ready] = []
    /// The highest priority of the tasks in `pool`.
    @exclusivity(unchecked) private var priority: UInt8 = 0
    /// One relay for each priority, which has threads of its own. Made at the first use.
    private var relays: [(priority: UInt8, relay: PoolRelay)] = []

    init(loop: EventLoop) { self.loop = loop }

    deinit { for (_, relay) in relays { relay.end() } }

    func add(_ outcome: ProgramOutcome) {
        if outcomes.isEmpty { loop.atEndOfTurn { [self] in handOver() } }
        outcomes.append(outcome)
    }

    private func handOver() {
        var next = 0
        // An exchange that ends here, with its body, may complete others, whose outcomes are added meanwhile.
        while next < outcomes.count {
            let outcome = outcomes[next]
            next += 1
            guard let (ready, priority) = outcome.handOver() else { continue }
            pool.append(ready)
            self.priority = max(self.priority, priority)
        }
        swap(&outcomes, &handedOver)
        if next <= OutcomeBatch.keptRoom { handedOver.clear() } else { handedOver = [] }
        if pool.isEmpty { return }
        let (ready, priority) = (pool, priority)
        (pool, self.priority) = ([], 0)
        if ready.count >= OutcomeBatch.relayed {
            relay(priority).resume(ready)
        } else {
            for one in ready { one.resume() }
        }
    }

    private func relay(_ priority: UInt8) -> PoolRelay {
        if let known = relays.first(where: { $0.priority == priority }) { return known.relay }
        let relay = PoolRelay(TaskPriority(rawValue: priority))
        relays.append((priority, relay))
        return relay
    }
}
