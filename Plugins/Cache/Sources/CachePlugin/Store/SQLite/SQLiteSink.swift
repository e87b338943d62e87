import PlugboardKit
import SQLiteStore
import Synchronization

/// Writes the pieces of a body to the file, several at a time. A body of few pieces is written when it is committed.
final class SQLiteSink: PieceSink {
    private struct State {
        /// Not yet on their way.
        var pieces: [Bytes] = []
        /// Pieces on their way or written.
        var sent = 0
        /// Bytes on their way.
        var waiting = 0
        /// Of the entry, once it is begun.
        var id: Int64?
        /// Bytes of the body so far, and bytes that are counted for it.
        var length = 0
        var reserved: Int
        var hasFailed = false
        var rooms: [@Sendable () -> Void] = []
    }

    private let store: SQLiteCacheStore
    private let state: Mutex<State>

    private static let batch = 4
    private static let waitingLimit = 1 << 20

    /// Nil if there is no room for a body of that length.
    init?(_ store: SQLiteCacheStore, length: Int?) {
        let length = max(length ?? 0, 0)
        guard store.reserve(length, of: length) else { return nil }
        self.store = store
        state = Mutex(State(reserved: length))
    }

    deinit { release() }

    func append(_ piece: Bytes) -> Bool {
        let (isTaken, batch) = state.withLock { state -> (Bool, (pieces: [Bytes], first: Int)?) in
            if state.hasFailed || !reserve(piece.count, &state) { return (false, nil) }
            state.pieces.append(piece)
            guard state.pieces.count > SQLiteSink.batch else { return (true, nil) }
            return (true, SQLiteSink.send(&state))
        }
        if let batch { write(batch.pieces, from: batch.first) }
        return isTaken
    }

    private func reserve(_ more: Int, _ state: inout State) -> Bool {
        state.length += more
        let missing = max(state.length - state.reserved, 0)
        guard store.reserve(missing, of: state.length) else { return false }
        state.reserved += missing
        return true
    }

    /// The body is stored, or will not be.
    private func release() {
        let bytes = state.withLock { state in
            defer { state.reserved = 0 }
            return state.reserved
        }
        // The store may be letting go of the last reference to this, under its lock: nothing is counted then.
        if bytes > 0 { store.release(bytes) }
    }

    private static func send(_ state: inout State) -> (pieces: [Bytes], first: Int) {
        defer {
            state.sent += state.pieces.count
            state.waiting += state.pieces.reduce(0) { $0 + $1.count }
            state.pieces = []
        }
        return (state.pieces, state.sent)
    }

    private func write(_ pieces: [Bytes], from first: Int) {
        let bytes = pieces.reduce(0) { $0 + $1.count }
        store.queue(bytes)
        store.add(
            { (file, connection) throws(SQLiteFailure) in
                guard !self.state.withLock({ $0.hasFailed }) else { throw SQLiteSink.discarded }
                return try self.append(pieces, from: first, file, connection)
            },
            then: { result in
                let id = try? result.get()
                self.store.queue(-bytes)
                let (rooms, useless) = self.state.withLock { state in
                    state.waiting -= bytes
                    state.id = id ?? state.id
                    state.hasFailed = state.hasFailed || id == nil
                    return (self.takeRooms(&state), state.hasFailed ? state.id : nil)
                }
                if let useless { self.drop(useless) }
                for room in rooms { room() }
            })
    }

    /// Returns the entry's id.
    private func append(
        _ pieces: [Bytes], from first: Int, _ file: CacheFile, _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) -> Int64 {
        var id = state.withLock { $0.id }
        if id == nil { id = try file.begin(connection) }
        guard let id else { throw SQLiteSink.discarded }
        try file.append(pieces, from: first, to: id, connection)
        return id
    }

    var hasRoom: Bool { state.withLock { takesMore($0) } }

    func room(_ run: @escaping @Sendable () -> Void) {
        let hasRoom = state.withLock { state in
            if takesMore(state) { return true }
            state.rooms.append(run)
            return false
        }
        if hasRoom { run() }
    }

    /// Each body may have something on its way, and more while all together have little. What is on its way ends, and then
    /// those who wait for room are told.
    private func takesMore(_ state: State) -> Bool {
        state.hasFailed || state.waiting == 0 || state.waiting < SQLiteSink.waitingLimit && store.hasRoomInQueue
    }

    private func takeRooms(_ state: inout State) -> [@Sendable () -> Void] {
        guard takesMore(state) else { return [] }
        defer { state.rooms = [] }
        return state.rooms
    }

    func commit(
        _ answer: StoredResponse, length: Int, replacing old: [CacheEntry],
        _ done: @escaping @Sendable (CacheEntry?) -> Void
    ) {
        let (pieces, first) = state.withLock { SQLiteSink.send(&$0) }
        store.willAdd(answer.key)
        let finish: @Sendable (Result<Int64, SQLiteFailure>) -> Void = { result in
            self.store.didAdd(answer.key)
            if case .success(let id) = result {
                self.release()
                done(CacheEntry(id: id, answer: answer, length: length))
            } else {
                self.discard()
                done(nil)
            }
        }
        if first == 0 {
            store.gather(
                Gathering.Addition(
                    answer: answer, pieces: pieces, length: length, replaced: old.map(\.id), done: finish))
            return
        }
        store.add(
            { (file, connection) throws(SQLiteFailure) in
                guard !self.state.withLock({ $0.hasFailed }) else { throw SQLiteSink.discarded }
                let id = try self.append(pieces, from: first, file, connection)
                try file.publish(id, answer, length: length, connection)
                try file.remove(old.map(\.id), connection)
                return id
            },
            then: finish)
    }

    func discard() {
        let (id, rooms) = state.withLock { state in
            state.hasFailed = true
            state.pieces = []
            return (state.id, takeRooms(&state))
        }
        release()
        for room in rooms { room() }
        // What is on its way may begin the entry before it learns of this; then it drops it itself.
        if let id { drop(id) }
    }

    private func drop(_ id: Int64) {
        store.write({ (file, connection) throws(SQLiteFailure) in try file.drop(id, connection) }, then: { _ in })
    }

    private static let discarded = SQLiteFailure(code: 0, message: "The body was discarded.")
}
