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
        var hasFailed = false
        var rooms: [@Sendable () -> Void] = []
    }

    private let store: SQLiteCacheStore
    private let state = Mutex(State())

    private static let batch = 4
    private static let waitingLimit = 1 << 20

    init(_ store: SQLiteCacheStore) { self.store = store }

    func append(_ piece: Bytes) -> Bool {
        let (isTaken, batch) = state.withLock { state -> (Bool, (pieces: [Bytes], first: Int)?) in
            if state.hasFailed { return (false, nil) }
            state.pieces.append(piece)
            guard state.pieces.count > SQLiteSink.batch else { return (true, nil) }
            return (true, SQLiteSink.send(&state))
        }
        if let batch { write(batch.pieces, from: batch.first) }
        return isTaken
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
        store.add(
            { (file, connection) throws(SQLiteFailure) in
                guard !self.state.withLock({ $0.hasFailed }) else { throw SQLiteSink.discarded }
                return try self.append(pieces, from: first, file, connection)
            },
            then: { result in
                let id = try? result.get()
                let (rooms, useless) = self.state.withLock { state in
                    state.waiting -= pieces.reduce(0) { $0 + $1.count }
                    state.id = id ?? state.id
                    state.hasFailed = state.hasFailed || id == nil
                    return (SQLiteSink.takeRooms(&state), state.hasFailed ? state.id : nil)
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

    var hasRoom: Bool { state.withLock { SQLiteSink.hasRoom($0) } }

    func room(_ run: @escaping @Sendable () -> Void) {
        let hasRoom = state.withLock { state in
            if SQLiteSink.hasRoom(state) { return true }
            state.rooms.append(run)
            return false
        }
        if hasRoom { run() }
    }

    private static func hasRoom(_ state: State) -> Bool { state.hasFailed || state.waiting < waitingLimit }

    private static func takeRooms(_ state: inout State) -> [@Sendable () -> Void] {
        guard hasRoom(state) else { return [] }
        defer { state.rooms = [] }
        return state.rooms
    }

    func commit(
        _ answer: StoredAnswer, length: Int, replacing old: [CacheEntry],
        _ done: @escaping @Sendable (CacheEntry?) -> Void
    ) {
        let (pieces, first) = state.withLock { SQLiteSink.send(&$0) }
        store.willAdd(answer.key)
        let finish: @Sendable (Result<Int64, SQLiteFailure>) -> Void = { result in
            self.store.didAdd(answer.key)
            if case .success(let id) = result {
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
            return (state.id, SQLiteSink.takeRooms(&state))
        }
        for room in rooms { room() }
        // What is on its way may begin the entry before it learns of this; then it drops it itself.
        if let id { drop(id) }
    }

    private func drop(_ id: Int64) {
        store.write({ (file, connection) throws(SQLiteFailure) in try file.drop(id, connection) }, then: { _ in })
    }

    private static let discarded = SQLiteFailure(code: 0, message: "The body was discarded.")
}
