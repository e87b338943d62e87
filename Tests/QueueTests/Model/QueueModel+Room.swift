@_spi(QueueStores) @testable import PlugboardQueue

/// The limits of the model.
extension QueueModel {
    private var requests: Int { entries.count { $0.state != .done } }
    private var bytes: Int { entries.reduce(0) { $0 + $1.size } }

    func oldest(_ state: State) -> [Entry] {
        entries.filter { $0.state == state }.sorted { ($0.completed, $0.order) < ($1.completed, $1.order) }
    }

    /// What the README says of `limit`, `bytes` and `whenFull`.
    mutating func makeRoom(
        _ new: NewEntry, replacing same: [String], _ begun: Entry?, _ now: Int64
    ) -> Bool {
        guard new.size <= limits.bytes else { return false }
        let before = entries
        let lengths = entries.filter { same.contains($0.id) }.reduce(0) { $0 + max($1.length, 0) }
        func isOver(_ model: QueueModel) -> (requests: Bool, bytes: Bool) {
            (
                model.requests + 1 - same.count - (begun == nil ? 0 : 1) > limits.requests,
                model.bytes + new.size - lengths - (begun?.size ?? 0) > limits.bytes
            )
        }
        for entry in oldest(.dead) where entry.isAcknowledged && isOver(self) != (false, false) { drop(entry.id) }
        for entry in oldest(.done) where isOver(self).bytes { drop(entry.id) }
        if limits.dropsOldest {
            let waiting = entries.filter { $0.state == .waiting && !same.contains($0.id) }
            for entry in waiting.sorted(by: { ($0.priority, $0.order) < ($1.priority, $1.order) })
            where isOver(self) != (false, false) {
                guard let index = index(entry.id) else { continue }
                entries[index].end(.done, clock: clock, now: now)
                (entries[index].length, entries[index].head) = (-1, #"{"fields":[]}"#.utf8.count)
            }
        }
        if isOver(self) == (false, false) { return true }
        entries = before
        return false
    }

    mutating func limitOutcomes() {
        let outcomes = oldest(.done)
        for entry in outcomes.prefix(max(outcomes.count - limits.requests, 0)) { drop(entry.id) }
    }
}
