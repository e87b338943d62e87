import PlugboardKit
import PlugboardObserving
import Synchronization

/// The last records in memory, up to the bounds. An exchange becomes a record only when it is read.
final class RecordRing: RecordStore {
    private enum Item {
        case recorded(Recording)
        // Indirect, because a record is large and its place in the list is moved.
        indirect case added(Record)
    }

    private struct Place {
        let id: Int64
        let added: Duration
        let size: Int
        /// Nil for one that was removed.
        var item: Item?
    }

    private struct State {
        /// The records, oldest first. Those before `first` have been removed.
        var items: [Place] = []
        var first = 0
        var size = 0
        var last: Int64 = 0

        var live: ArraySlice<Place> { items[first...] }

        mutating func append(_ item: Item, _ now: Duration, _ bytes: Int) {
            last += 1
            size += bytes
            items.append(Place(id: last, added: now, size: bytes, item: item))
        }

        mutating func removeFirst() {
            size -= items[first].size
            // Releases the memory of the exchange before its place in the list is reused.
            items[first].item = nil
            first += 1
            if first > 64, first > items.count / 2 {
                items.removeFirst(first)
                first = 0
            }
        }
    }

    let mark: String? = String(UInt64.random(in: 0 ... .max), radix: 36)
    private let state = Mutex(State())
    private let bounds: RecordBounds
    private let redaction: Redaction
    private let host: PluginHost

    init(_ bounds: RecordBounds, _ redaction: Redaction, _ host: PluginHost) {
        (self.bounds, self.redaction, self.host) = (bounds, redaction, host)
    }

    func add(_ recording: Recording) { append(CollectionOfOne((.recorded(recording), recording.size))) }

    func add(_ records: [Record]) -> Int {
        append(records.map { (.added($0), $0.size) })
        return records.count
    }

    private func append(_ items: some Collection<(Item, Int)>) {
        let now = host.wallClock
        state.withLock { state in
            for (item, size) in items { state.append(item, now, size) }
            while state.first < state.items.count,
                state.items.count - state.first > bounds.count || state.size > bounds.size
                    || state.items[state.first].added < now - bounds.age
            { state.removeFirst() }
        }
    }

    func each(_ filter: RecordFilter, _ visit: (Record) -> Bool) {
        let oldest = host.wallClock - bounds.age
        let items = state.withLock { Array($0.live) }
        for item in items.reversed() where item.added >= oldest && item.id > filter.after && item.id < filter.before {
            guard let record = record(of: item) else { continue }
            if filter.selects(record), !visit(record) { return }
        }
    }

    func record(_ id: Int64) -> Record? {
        let found = state.withLock { state in state.live.first { $0.id == id } }
        return found.flatMap { record(of: $0) }
    }

    func remove(_ filter: RecordFilter) -> Int {
        var selected: Set<Int64> = []
        each(filter) { selected.insert($0.id).inserted }
        return state.withLock { state in
            let before = state.live.count
            state.items = state.live.filter { !selected.contains($0.id) }
            state.first = 0
            state.size = state.items.reduce(0) { $0 + $1.size }
            return before - state.items.count
        }
    }

    func close(within limit: Duration) {}

    private func record(of place: Place) -> Record? {
        switch place.item {
        case .recorded(let recording): return recording.record(place.id, redaction)
        case .added(var record):
            record.id = place.id
            return record
        case nil: return nil
        }
    }
}
