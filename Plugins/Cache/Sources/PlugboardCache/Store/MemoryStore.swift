import PlugboardKit
import Synchronization

/// Responses in memory only, which end with the process.
final class MemoryStore: CacheStore {
    fileprivate struct State {
        var table: MemoryTable
        var lastID: Int64 = 0
    }

    fileprivate let state: Mutex<State>

    /// - Parameters:
    /// - bytes: The most bytes of bodies and heads together; a body of more than a quarter is not stored.
    /// - entries: The most entries.
    init(bytes: Int, entries: Int) {
        state = Mutex(State(table: MemoryTable(byteLimit: bytes, countLimit: entries)))
    }

    func open() {}

    func entriesAtHand(_ key: CacheKey) -> [CacheEntry]? { state.withLock { $0.table.entries(key) } }

    func entries(_ key: CacheKey, _ found: @escaping @Sendable ([CacheEntry]) -> Void) {
        found(state.withLock { $0.table.entries(key) })
    }

    func body(of entry: CacheEntry, _ part: Range<Int>) -> any StoredSource {
        let pieces = state.withLock { $0.table.body(entry.id) } ?? entry.pieces
        guard let pieces else { return BrokenSource(.removed) }
        return PiecesSource(pieces, part.clamped(to: 0..<entry.length))
    }

    func write(length: Int?) -> (any EntryWriter)? {
        let largest = state.withLock { $0.table.largest }
        return PieceWriter(MemorySink(self), length: length, largest: largest)
    }

    private func insert(
        _ head: StoredHead, _ pieces: [Bytes], _ length: Int, replacing old: [CacheEntry]
    ) -> CacheEntry? {
        state.withLock { state in
            state.table.release(length)
            for entry in old { state.table.forget(entry.id) }
            state.lastID += 1
            let entry = CacheEntry(id: state.lastID, head: head, length: length)
            return state.table.insert(entry, pieces) ? entry : nil
        }
    }

    /// Collects the pieces of a body.
    private final class MemorySink: PieceSink {
        private let store: MemoryStore
        private let pieces = Mutex<[Bytes]>([])

        init(_ store: MemoryStore) { self.store = store }

        func append(_ piece: Bytes) -> Bool {
            guard store.state.withLock({ $0.table.reserve(piece.count) }) else { return false }
            pieces.withLock { $0.append(piece) }
            return true
        }

        var hasRoom: Bool { true }
        func room(_ run: @escaping @Sendable () -> Void) { run() }

        func commit(
            _ head: StoredHead, length: Int, replacing old: [CacheEntry],
            _ done: @escaping @Sendable (CacheEntry?) -> Void
        ) {
            done(store.insert(head, take(), length, replacing: old))
        }

        func discard() {
            let count = take().reduce(0) { $0 + $1.count }
            store.state.withLock { $0.table.release(count) }
        }

        private func take() -> [Bytes] {
            pieces.withLock { pieces in
                defer { pieces = [] }
                return pieces
            }
        }
    }

    func update(_ entry: CacheEntry, _ response: StoredResponse) {
        state.withLock { $0.table.update(entry.id) { $0 = response } }
    }

    func remove(_ entries: [CacheEntry]) {
        state.withLock { state in
            for entry in entries { state.table.remove(entry.id) }
        }
    }

    func invalidate(url: String) {
        state.withLock { state in
            for id in state.table.ids(url: url) { state.table.update(id) { $0.isInvalidated = true } }
        }
    }

    func purge(_ what: Purge, _ done: @escaping @Sendable (Int) -> Void) {
        done(state.withLock { $0.table.purge(what, isWhole: true) })
    }

    func list(_ what: Purge, limit: Int, _ found: @escaping @Sendable ([CacheEntry]) -> Void) {
        found(state.withLock { $0.table.list(what, limit: limit) })
    }

    var evictions: Int { state.withLock { $0.table.evicted } }

    func statistics(_ done: @escaping @Sendable (StoreStatistics) -> Void) {
        done(
            state.withLock { state in
                let (count, bytes) = (state.table.count, state.table.bytes)
                return StoreStatistics(
                    memoryEntries: count, memoryBytes: bytes, entries: count, bytes: bytes,
                    evicted: state.table.evicted)
            })
    }

    func close(within limit: Duration) {}
}

extension MemoryTable {
    /// Removes the selected entries, and returns their number.
    /// - Parameter isWhole: Whether there is no slower store, so that `.memory` selects nothing.
    mutating func purge(_ what: Purge, isWhole: Bool) -> Int {
        let before = count
        switch what {
        case .all: removeAll()
        case .memory: if !isWhole { removeAll() }
        case .url(let url): for id in ids(url: url) { remove(id) }
        case .pattern(let pattern): for id in ids(URLPattern(pattern)) { remove(id) }
        }
        return before - count
    }
}

/// A body whose pieces are in memory; they are given without a copy.
final class PiecesSource: StoredSource {
    private struct Position {
        var index = 0
        /// The bytes before the piece.
        var offset = 0
    }

    private let pieces: [Bytes]
    private let part: Range<Int>
    private let position = Mutex(Position())

    /// - Parameter part: A range within the bytes of all pieces.
    init(_ pieces: [Bytes], _ part: Range<Int>) {
        self.pieces = pieces
        self.part = part
    }

    var length: Int? { part.count }
    var canRewind: Bool { true }

    /// If the body is one piece, its bytes, which the kernel reads without calling the plugin.
    var body: Body {
        if part.isEmpty { return .empty }
        guard pieces.count == 1, part.upperBound <= pieces[0].count else { return Body(self) }
        return .bytes(part.count == pieces[0].count ? pieces[0] : pieces[0][part])
    }

    /// Another part of the same body.
    func part(_ part: Range<Int>) -> PiecesSource { PiecesSource(pieces, part) }

    func nextIfReady() -> Piece? { position.withLock { .some(next(&$0)) } }

    func pull(_ pull: Pull) { pull.complete(position.withLock { next(&$0) }) }

    func rewind() -> Bool {
        position.withLock { $0 = Position() }
        return true
    }

    func copy() -> (any BodySource)? { PiecesSource(pieces, part) }

    private func next(_ position: inout Position) -> Piece {
        while position.index < pieces.count, position.offset < part.upperBound {
            let piece = pieces[position.index]
            let wanted = (part.lowerBound - position.offset)..<(part.upperBound - position.offset)
            position.index += 1
            position.offset += piece.count
            if wanted.lowerBound >= piece.count { continue }
            return .bytes(wanted.lowerBound <= 0 && wanted.upperBound >= piece.count ? piece : piece[wanted])
        }
        return .end(trailers: Fields())
    }
}
