import PlugboardKit
import PlugboardObserving
import Synchronization

/// The last records in memory, up to the bounds. An exchange becomes a record only when it is read.
final class RecordRing: RecordStore {
    private enum Item {
        case recorded(Recording)
        case added(Record)
    }

    private struct State {
        /// From the oldest one. Those before `first` have been removed.
        var items: [(id: Int64, added: Duration, size: Int, item: Item)] = []
        var first = 0
        var size = 0
        var last: Int64 = 0

        var live: ArraySlice<(id: Int64, added: Duration, size: Int, item: Item)> { items[first...] }

        mutating func append(_ item: Item, _ now: Duration, _ bytes: Int) {
            last += 1
            size += bytes
            items.append((last, now, bytes, item))
        }

        mutating func removeFirst() {
            size -= items[first].size
            // Releases the memory of the exchange before its place in the list is reused.
            items[first] = (0, .zero, 0, .added(.none))
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

    func add(_ recording: Recording) { append([(.recorded(recording), recording.size)]) }

    func add(_ records: [Record]) -> Int {
        append(records.map { (.added($0), $0.size) })
        return records.count
    }

    private func append(_ items: [(Item, Int)]) {
        let now = host.wallClock
        state.withLock { state in
            for (item, size) in items { state.append(item, now, size) }
            while let oldest = state.live.first,
                state.live.count > bounds.count || state.size > bounds.size || oldest.added < now - bounds.age
            { state.removeFirst() }
        }
    }

    func each(_ filter: RecordFilter, _ visit: (Record) -> Bool) {
        let oldest = host.wallClock - bounds.age
        let items = state.withLock { Array($0.live) }
        for item in items.reversed() where item.added >= oldest && item.id > filter.after && item.id < filter.before {
            let record = record(of: item.item, item.id)
            if filter.selects(record), !visit(record) { return }
        }
    }

    func record(_ id: Int64) -> Record? {
        let found = state.withLock { state in state.live.first { $0.id == id } }
        return found.map { record(of: $0.item, id) }
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

    private func record(of item: Item, _ id: Int64) -> Record {
        switch item {
        case .recorded(let recording): return recording.record(id, redaction)
        case .added(var record):
            record.id = id
            return record
        }
    }
}

extension Record {
    fileprivate static let none = Record(
        id: 0, date: .zero, took: .zero, method: "", url: "", host: "", status: nil, failure: nil, label: nil,
        entries: [])
}
