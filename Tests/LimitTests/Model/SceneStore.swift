@testable import PlugboardLimit

/// What several tables take their portions from. A command takes effect after `delay`, and its reply takes as long.
final class SceneStore {
    var delay: Int64 = 1_000_000
    /// Whether each command fails.
    var isOut = false
    /// The portions that are taken, with the times when they end.
    private(set) var ends: [String: Int64] = [:]
    /// The commands that took portions, or found none.
    private(set) var asked = 0
    private var next = 0

    func carryOut(_ effects: LimitTable.Effects, for scene: TableScene) {
        for (portions, numbers) in effects.unused { for number in numbers { ends[portions.lease.key(number)] = nil } }
        for (portions, count) in effects.wanted {
            let begin = scene.now
            scene.at(begin + delay) { [self, unowned scene] in
                asked += 1
                let taken = isOut ? nil : take(count, portions.lease, at: scene.now)
                scene.at(scene.now + delay) { [unowned scene] in scene.took(taken, portions, from: begin) }
            }
        }
    }

    private func take(_ count: Int, _ lease: RateLease, at now: Int64) -> [Int] {
        // Each search begins where the last one ended.
        let all = (0..<lease.portionCount).map { ($0 + next) % lease.portionCount }
        let free = all.filter { ends[lease.key($0)] ?? .min <= now }.prefix(count)
        next = (free.last ?? next) + 1
        for portion in free { ends[lease.key(portion)] = now + lease.period.nanoseconds }
        return Array(free)
    }
}
