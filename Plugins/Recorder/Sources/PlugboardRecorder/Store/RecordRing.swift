import Dispatch
import PlugboardKit
import PlugboardObserving
import Synchronization

/// The last records in memory, up to the bounds, and the exchanges under way. An exchange becomes a record only when it
/// is read.
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
        /// The exchanges under way, in any order.
        var open: [Recording] = []

        var live: ArraySlice<Place> { items[first...] }

        mutating func append(_ item: Item, _ now: Duration, _ bytes: Int) {
            let id: Int64
            if case .recorded(let recording) = item {
                close(recording)
                id = number(recording)
            } else {
                id = nextNumber()
            }
            size += bytes
            items.append(Place(id: id, added: now, size: bytes, item: item))
        }

        /// The id of an exchange, which it keeps from its first copy on.
        mutating func number(_ recording: Recording) -> Int64 {
            if recording.id == 0 { recording.id = nextNumber() }
            return recording.id
        }

        private mutating func nextNumber() -> Int64 {
            last += 1
            return last
        }

        mutating func begin(_ recording: Recording) {
            recording.place = open.count
            open.append(recording)
        }

        /// Removes an exchange from those under way: the last one takes its place.
        private mutating func close(_ recording: Recording) {
            guard let place = recording.place, let last = open.popLast() else { return }
            recording.place = nil
            guard last !== recording else { return }
            open[place] = last
            last.place = place
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

    func begin(_ recording: Recording) { state.withLock { $0.begin(recording) } }

    func add(_ recording: Recording) {
        append(CollectionOfOne((.recorded(recording), recording.size)), at: recording.date + recording.took)
    }

    func add(_ records: [Record]) -> Int {
        append(records.map { (.added($0), $0.size) }, at: host.wallClock)
        return records.count
    }

    private func append(_ items: some Collection<(Item, Int)>, at now: Duration) {
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
        for item in places() where item.added >= oldest && item.id > filter.after && item.id < filter.before {
            guard let record = record(of: item) else { continue }
            if filter.selects(record), !visit(record) { return }
        }
    }

    func record(_ id: Int64) -> Record? {
        places().first { $0.id == id }.flatMap { record(of: $0) }
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

    // MARK: Exchanges under way

    /// All records and copies of the exchanges under way, from the largest id.
    private func places() -> [Place] {
        let (copies, now) = (copies(), host.wallClock)
        var places = state.withLock { state in
            var places = Array(state.live)
            // Without those that have completed meanwhile.
            for (recording, copy) in copies where recording.place != nil {
                places.append(Place(id: state.number(recording), added: now, size: 0, item: .recorded(copy)))
            }
            return places
        }
        // The place of a record says when its exchange completed. Its id can be older.
        places.sort { $0.id > $1.id }
        return places
    }

    /// Copies of the exchanges that have been under way for a second, each made on its loop.
    private func copies() -> [(recording: Recording, copy: Recording)] {
        let now = host.now
        let open = state.withLock { $0.open.filter { now - $0.began >= .seconds(1) } }.prefix(bounds.count)
        let (copies, copied) = (Copies(), DispatchSemaphore(value: 0))
        let loops = Dictionary(grouping: open, by: \.loop)
        for (loop, recordings) in loops {
            host.schedule(after: .zero, on: loop) {
                let made = recordings.map { ($0, Recording(copying: $0, at: now)) }
                copies.made.withLock { $0 += made }
                copied.signal()
            }
        }
        // A loop that is busy or has ended does not hold up the command.
        let deadline = DispatchTime.now() + .seconds(1)
        for _ in loops { _ = copied.wait(timeout: deadline) }
        return copies.made.withLock { $0 }
    }

    private final class Copies: Sendable {
        let made = Mutex<[(recording: Recording, copy: Recording)]>([])
    }

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
