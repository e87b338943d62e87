import Synchronization

/// The stored bodies that are being read in this process, by their entries' ids.
final class Readings: Sendable {
    private struct State {
        var counts: [Int64: Int] = [:]
        /// Removed, but kept for their readers.
        var hidden: Set<Int64> = []
    }

    private let state = Mutex(State())

    func begin(_ id: Int64) { state.withLock { $0.counts[id, default: 0] += 1 } }

    /// True if the last reader of a hidden entry has gone, and it is to be removed now.
    func end(_ id: Int64) -> Bool {
        state.withLock { state in
            guard let count = state.counts[id], count <= 1 else {
                state.counts[id]? -= 1
                return false
            }
            state.counts[id] = nil
            return state.hidden.remove(id) != nil
        }
    }

    /// Whether an entry that is to be removed has readers, who keep it.
    func mustHide(_ id: Int64) -> Bool {
        state.withLock { state in
            guard state.counts[id] != nil else { return false }
            state.hidden.insert(id)
            return true
        }
    }

    var ids: [Int64] { state.withLock { Array($0.counts.keys) } }
}
