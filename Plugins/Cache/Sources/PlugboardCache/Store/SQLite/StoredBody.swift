import PlugboardKit
import PlugboardSQLite
import Synchronization

/// A body that is read from the file, several pieces at a time. Each piece is checked before it is given.
final class StoredBody: StoredSource {
    /// Keeps the entry's pieces in the file while it exists.
    private final class Reading: Sendable {
        let store: SQLiteCacheStore
        let id: Int64
        init(_ store: SQLiteCacheStore, _ id: Int64) {
            self.store = store
            self.id = id
            store.file.readings.begin(id)
        }
        deinit { store.endReading(id) }
    }

    private struct State {
        var reading: Reading?
        /// The offset of the next byte to read.
        var offset: Int
        /// The pieces that were read and not given yet, in reverse order.
        var pieces: [Bytes] = []
    }

    private let store: SQLiteCacheStore
    private let entry: CacheEntry
    private let part: Range<Int>
    private let state: Mutex<State>

    /// The number of pieces read at a time. Several, because each read switches threads twice.
    private static let batch = 8

    init(_ store: SQLiteCacheStore, _ entry: CacheEntry, _ part: Range<Int>) {
        self.store = store
        self.entry = entry
        self.part = part
        state = Mutex(State(reading: Reading(store, entry.id), offset: part.lowerBound))
    }

    var length: Int? { part.count }
    var canRewind: Bool { true }
    var isAtHand: Bool { state.withLock { !$0.pieces.isEmpty } }

    func nextIfReady() -> Piece? {
        state.withLock { state in
            if let piece = state.pieces.popLast() { return .bytes(piece) }
            return state.offset >= part.upperBound ? .end(trailers: Fields()) : nil
        }
    }

    func pull(_ pull: Pull) {
        if let piece = nextIfReady() {
            pull.complete(piece)
            return
        }
        let offset = state.withLock { $0.offset }
        store.read(
            { (file, connection) throws(SQLiteFailure) in try self.read(from: offset, file, connection) },
            then: { result in pull.complete(self.next(result)) })
    }

    func prepare(_ done: @escaping @Sendable (Bool) -> Void) {
        store.read(
            { (file, connection) throws(SQLiteFailure) in
                try self.read(from: self.part.lowerBound, file, connection)
            },
            then: { result in done(self.error(of: result) == nil) })
    }

    func rewind() -> Bool {
        state.withLock { state in
            state.offset = part.lowerBound
            state.pieces = []
        }
        return true
    }

    func copy() -> (any BodySource)? { StoredBody(store, entry, part) }

    func release() {
        let reading = state.withLock { state in
            state.pieces = []
            defer { state.reading = nil }
            return state.reading
        }
        _ = reading
    }

    private enum Batch: Sendable {
        case pieces([Bytes])
        case damaged
        case removed
    }

    private func read(
        from start: Int, _ file: CacheFile, _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) -> Batch {
        guard start < part.upperBound else { return .pieces([]) }
        let size = PieceBuffer.pieceSize
        let (first, end) = (start / size, (part.upperBound + size - 1) / size)
        let numbers = first..<min(first + StoredBody.batch, end)
        switch try file.pieces(numbers, of: entry.id, length: entry.length, connection) {
        case .intact(var pieces):
            for (index, number) in numbers.enumerated() {
                let wanted = max(start - number * size, 0)..<min(part.upperBound - number * size, size)
                pieces[index] = pieces[index][wanted]
            }
            return .pieces(pieces)
        case .damaged: return .damaged
        case .absent: return .removed
        }
    }

    private func next(_ result: Result<Batch, SQLiteFailure>) -> Piece {
        if let error = error(of: result) { return .broken(error) }
        return nextIfReady() ?? .broken(.removed)
    }

    /// Stores the pieces that were read; for damaged or missing pieces, returns an error and removes the entry.
    private func error(of result: Result<Batch, SQLiteFailure>) -> PlugboardError? {
        switch result {
        case .success(.pieces(let pieces)):
            state.withLock { state in
                state.offset += pieces.reduce(0) { $0 + $1.count }
                state.pieces = pieces.reversed()
            }
            return nil
        case .success(.damaged):
            store.removeDamaged([entry.id])
            return .damaged
        case .success(.removed):
            store.removeLost([entry.id])
            return .removed
        case .failure(let failure): return failure.kind == .damaged ? .damaged : .unreadable
        }
    }
}

/// The number of readers of each stored body in this process, by entry id.
final class Readings: Sendable {
    private struct State {
        var counts: [Int64: Int] = [:]
        /// Entries that are removed, but kept for their readers.
        var hidden: Set<Int64> = []
    }

    private let state = Mutex(State())

    func begin(_ id: Int64) { state.withLock { $0.counts[id, default: 0] += 1 } }

    /// True if the last reader of a hidden entry has ended, so that the entry must be removed now.
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

    /// Whether an entry to be removed has readers, and must be hidden instead.
    func mustHide(_ id: Int64) -> Bool {
        state.withLock { state in
            guard state.counts[id] != nil else { return false }
            state.hidden.insert(id)
            return true
        }
    }

    var ids: [Int64] { state.withLock { Array($0.counts.keys) } }
}
