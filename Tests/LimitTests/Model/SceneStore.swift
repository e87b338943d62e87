import PlugboardStore

@testable import PlugboardLimit

/// What several tables take their portions from. A command takes effect after `delay`, and its reply takes as long.
final class SceneStore {
    var delay: Int64 = 1_000_000
    /// Whether each command fails.
    var isOut = false
    /// Whether commands are carried out without a reply.
    var isSilent = false
    /// How many commands find that other processes were faster.
    var contentions = 0
    /// The portions that are taken, with the times when they end.
    private(set) var ends: [String: Int64] = [:]
    /// The commands that took portions, or found none.
    private(set) var asked = 0
    /// The portions that were taken, and that the processes do not know of yet.
    private(set) var underWay = 0
    private var next = 0

    func carryOut(_ effects: LimitTable.Effects, for scene: TableScene) {
        for (portions, numbers) in effects.unused { for number in numbers { ends[portions.lease.key(number)] = nil } }
        for (portions, count) in effects.wanted {
            let begin = scene.now
            scene.at(begin + delay) { [self, unowned scene] in
                asked += 1
                let reply = reply(count, portions.lease, at: scene.now)
                if isSilent { return }
                let taken = (try? reply.get())?.numbers.count ?? 0
                underWay += taken
                scene.at(scene.now + delay) { [self, unowned scene] in
                    underWay -= taken
                    scene.took(reply, portions, from: begin)
                }
            }
            // As that of `Limits`.
            scene.at(begin + 100_000_000) { [unowned scene] in
                scene.took(.failure(StoreFailure(.late, "")), portions, from: begin)
            }
        }
    }

    private func reply(_ count: Int, _ lease: RateLease, at now: Int64) -> Result<PortionStore.Reply, StoreFailure> {
        if isOut { return .failure(StoreFailure(.down, "")) }
        if contentions > 0 {
            contentions -= 1
            return .success(PortionStore.Reply(isContended: true))
        }
        return .success(PortionStore.Reply(numbers: take(count, lease, at: now)))
    }

    private func take(_ count: Int, _ lease: RateLease, at now: Int64) -> [Int] {
        // Each search begins where the last one ended.
        let all = (0..<lease.portionCount).map { ($0 + next) % lease.portionCount }
        let free = all.filter { ends[lease.key($0)] ?? .min <= now }.prefix(count)
        next = (free.last ?? next) + 1
        for portion in free { ends[lease.key(portion)] = now + Int64(lease.period / .nanoseconds(1)) }
        return Array(free)
    }
}
