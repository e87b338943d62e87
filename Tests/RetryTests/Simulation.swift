import PlugboardKit
import TestSupport

@testable import PlugboardRetry

/// A client that sends a hundred requests a second to a server that fails for a while, with the plugin's own policy,
/// budget and defaults, in simulated time.
///
/// Refusing costs the server too, so that above its capacity it responds successfully to fewer attempts: of a load L to
/// the share (capacity / L)².
struct Simulation {
    var hasBudget: Bool
    let rate = 100
    /// The attempts a second to which the server can respond.
    let capacity = 120
    /// The seconds in which the server responds with 503 only.
    let outage = 20..<40
    let seconds = 80

    struct Count: Equatable {
        var first = 0
        var attempts = 0
        var successful = 0
    }

    private struct Attempt {
        var number = 1
    }

    /// The counts for each second.
    func run() -> [Count] {
        var random = SeededRandom(seed: 2024)
        let policy = RetryPolicy()
        var table = OriginTable(.init(budget: hasBudget ? RetryBudget.Limits() : nil))
        let origin: Origin = "http://origin.test"
        var due: [Int: [Attempt]] = [:]
        var counts = [Count](repeating: Count(), count: seconds)

        for millisecond in 0..<seconds * 1000 {
            let second = millisecond / 1000
            let now = Duration.milliseconds(millisecond)
            var attempts = due.removeValue(forKey: millisecond) ?? []
            if millisecond % (1000 / rate) == 0 {
                _ = table.admit(origin, at: now)
                counts[second].first += 1
                attempts.append(Attempt())
            }
            for attempt in attempts {
                counts[second].attempts += 1
                if !outage.contains(second), hasResponded(load: second > 0 ? counts[second - 1].attempts : 0, &random) {
                    counts[second].successful += 1
                    continue
                }
                let situation = RetryPolicy.Situation(
                    method: .get, outcome: .response(status: 503), attempt: attempt.number)
                guard case .again(let delay, _) = policy.decision(for: situation, drawing: { random.next() }),
                    table.repeatRequest(to: origin, at: now) == nil
                else { continue }
                let time = millisecond + max(Int(delay / .milliseconds(1)), 1)
                due[time, default: []].append(Attempt(number: attempt.number + 1))
            }
        }
        return counts
    }

    /// - Parameter load: Attempts in the second before.
    private func hasResponded(load: Int, _ random: inout SeededRandom) -> Bool {
        if load <= capacity { return true }
        let share = Double(capacity) / Double(load)
        return Double.random(in: 0..<1, using: &random) < share * share
    }

    /// The table of the README.
    static var table: String {
        let without = Simulation(hasBudget: false).run()
        let with = Simulation(hasBudget: true).run()
        var lines = [
            "| second | requests | attempts without budget | attempts with budget | successful without | successful with |",
            "|---|---|---|---|---|---|",
        ]
        for second in stride(from: 0, to: with.count, by: 5) {
            let (without, with) = (sum(without, from: second), sum(with, from: second))
            lines.append(
                "| \(second)–\(second + 5) | \(with.first) | \(without.attempts) | \(with.attempts) "
                    + "| \(without.successful) | \(with.successful) |")
        }
        return lines.joined(separator: "\n")
    }

    private static func sum(_ counts: [Count], from second: Int) -> Count {
        counts[second..<second + 5].reduce(into: Count()) { sum, count in
            sum.first += count.first
            sum.attempts += count.attempts
            sum.successful += count.successful
        }
    }
}
