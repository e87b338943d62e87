import PlugboardKit
import PlugboardSQLite
import Synchronization

/// Writes the pieces of a body, several at a time, to a file of its own. A body of few pieces is written to the
/// database at its commit.
final class SQLiteSink: PieceSink {
    private struct State {
        /// Pieces that are not sent to the store's thread yet.
        var pieces: [Bytes] = []
        /// Whether pieces were sent or written.
        var hasSent = false
        /// The bytes of sent pieces that are not written yet.
        var waiting = 0
        /// The file of the body, after its entry was begun.
        var file: BodyFile?
        /// The bytes of the body so far.
        var length = 0
        /// The bytes counted for the body in the store.
        var reserved: Int
        var hasFailed = false
        var rooms: [@Sendable () -> Void] = []
    }

    private let store: SQLiteCacheStore
    private let state: Mutex<State>

    private static let batch = CacheFile.databaseSize / PieceBuffer.pieceSize
    private static let waitingLimit = 1 << 20

    /// Nil if the store has no room for a body of that length.
    init?(_ store: SQLiteCacheStore, length: Int?) {
        let length = max(length ?? 0, 0)
        guard store.reserve(length, of: length) else { return nil }
        self.store = store
        state = Mutex(State(reserved: length))
    }

    deinit { release() }

    func append(_ piece: Bytes) -> Bool {
        let (isTaken, batch) = state.withLock { state -> (Bool, [Bytes]?) in
            if state.hasFailed || !reserve(piece.count, &state) { return (false, nil) }
            state.pieces.append(piece)
            guard state.pieces.count > SQLiteSink.batch else { return (true, nil) }
            return (true, SQLiteSink.send(&state))
        }
        if let batch { write(batch) }
        return isTaken
    }

    private func reserve(_ more: Int, _ state: inout State) -> Bool {
        state.length += more
        let missing = max(state.length - state.reserved, 0)
        guard store.reserve(missing, of: state.length) else { return false }
        state.reserved += missing
        return true
    }

    /// Called when the body is stored or discarded.
    private func release() {
        let bytes = state.withLock { state in
            defer { state.reserved = 0 }
            return state.reserved
        }
        // Zero while the store releases this sink under its lock, which must not be taken again.
        if bytes > 0 { store.release(bytes) }
    }

    private static func send(_ state: inout State) -> [Bytes] {
        defer {
            state.hasSent = true
            state.waiting += state.pieces.reduce(0) { $0 + $1.count }
            state.pieces = []
        }
        return state.pieces
    }

    private func write(_ pieces: [Bytes]) {
        let bytes = pieces.reduce(0) { $0 + $1.count }
        store.queue(bytes)
        store.add(
            { (file, connection) throws(SQLiteFailure) in
                guard !self.state.withLock({ $0.hasFailed }) else { throw SQLiteSink.discarded }
                return try self.append(pieces, file, connection)
            },
            then: { result in
                let file = try? result.get()
                self.store.queue(-bytes)
                let (rooms, useless) = self.state.withLock { state in
                    state.waiting -= bytes
                    state.file = file ?? state.file
                    state.hasFailed = state.hasFailed || file == nil
                    return (self.takeRooms(&state), state.hasFailed ? state.file.take() : nil)
                }
                if let useless { self.drop(useless) }
                for room in rooms { room() }
            })
    }

    private func append(
        _ pieces: [Bytes], _ file: CacheFile, _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) -> BodyFile {
        let known = state.withLock { $0.file }
        let body = if let known { known } else { try file.begin(connection) }
        try file.append(pieces, to: body, connection)
        return body
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

    /// A body may continue if none of its bytes are queued, or while its queue and the queue of all bodies are short.
    /// So every waiting body continues when its own queue is written.
    private func takesMore(_ state: State) -> Bool {
        state.hasFailed || state.waiting == 0 || state.waiting < SQLiteSink.waitingLimit && store.hasRoomInQueue
    }

    private func takeRooms(_ state: inout State) -> [@Sendable () -> Void] {
        guard takesMore(state) else { return [] }
        defer { state.rooms = [] }
        return state.rooms
    }

    func commit(
        _ head: StoredHead, length: Int, replacing old: [CacheEntry],
        _ done: @escaping @Sendable (CacheEntry?) -> Void
    ) {
        let (isWhole, pieces) = state.withLock { (!$0.hasSent, SQLiteSink.send(&$0)) }
        store.willAdd(head.response.key)
        let finish: @Sendable (Result<Int64, SQLiteFailure>) -> Void = { result in
            self.store.didAdd(head.response.key)
            if case .success(let id) = result {
                self.release()
                done(CacheEntry(id: id, head: head, length: length))
            } else {
                self.discard()
                done(nil)
            }
        }
        if isWhole {
            store.gather(
                Gathering.Addition(
                    head: head, pieces: pieces, length: length, replaced: old.map(\.id), done: finish))
            return
        }
        store.add(
            { (file, connection) throws(SQLiteFailure) in
                guard !self.state.withLock({ $0.hasFailed }) else { throw SQLiteSink.discarded }
                let body = try self.append(pieces, file, connection)
                try file.remove(old.map(\.id), connection)
                try file.publish(body, head.response, connection)
                return body.id
            },
            then: finish)
    }

    func discard() {
        let (file, rooms) = state.withLock { state in
            state.hasFailed = true
            state.pieces = []
            return (state.file.take(), takeRooms(&state))
        }
        release()
        for room in rooms { room() }
        // A batch under way may begin the entry later; then it removes the entry itself.
        if let file { drop(file) }
    }

    private func drop(_ body: BodyFile) {
        store.write({ (file, connection) throws(SQLiteFailure) in try file.drop(body.id, connection) }, then: { _ in })
    }

    private static let discarded = SQLiteFailure(code: 0, message: "The body was discarded.")
}

/// Small entries that wait to be written in one transaction, because one transaction each would cost several times as
/// much.
final class Gathering: Sendable {
    /// A whole entry that is not in the file yet.
    struct Addition: Sendable {
        let head: StoredHead
        let pieces: [Bytes]
        let length: Int
        /// The ids of the entries that it replaces.
        let replaced: [Int64]
        /// Called with the entry's id, on the store's thread.
        let done: @Sendable (Result<Int64, SQLiteFailure>) -> Void
    }

    private struct State {
        var additions: [Addition]
        var bytes: Int
        var isClosed = false
    }

    private let state: Mutex<State>

    /// The number of entries, and of bytes, that are written without waiting for more.
    private static let limit = 64
    private static let byteLimit = 512 << 10

    init(_ first: Addition) { state = Mutex(State(additions: [first], bytes: first.length)) }

    enum Adding { case added, addedTheLast, closed }

    func add(_ addition: Addition) -> Adding {
        state.withLock { state in
            if state.isClosed { return .closed }
            state.additions.append(addition)
            state.bytes += addition.length
            state.isClosed = state.additions.count >= Gathering.limit || state.bytes >= Gathering.byteLimit
            return state.isClosed ? .addedTheLast : .added
        }
    }

    /// All entries; nothing can be added afterwards.
    func close() -> [Addition] {
        state.withLock { state in
            state.isClosed = true
            return state.additions
        }
    }

    /// All entries, which are not kept: they hold the store, which may keep this object.
    func take() -> [Addition] {
        state.withLock { state in
            state.isClosed = true
            defer { state.additions = [] }
            return state.additions
        }
    }
}

extension SQLiteCacheStore {
    /// Adds an entry soon, together with others.
    func gather(_ addition: Gathering.Addition) {
        switch state.withLock({ $0.gathering })?.add(addition) {
        case .added: break
        case .addedTheLast: store.perform { (_) throws(SQLiteFailure) in }
        case .closed, nil:
            let gathering = Gathering(addition)
            write(gathering)
            // Assigned after `write`. A change in between may then remove an entry added after it, which only has to be
            // fetched again. In the other order, a purged entry would come back.
            state.withLock { $0.gathering = gathering }
        }
    }

    private func write(_ gathering: Gathering) {
        add(
            when: .soon,
            { (file, connection) throws(SQLiteFailure) in try file.insert(gathering.close(), connection) },
            then: { result in
                for (index, addition) in gathering.take().enumerated() { addition.done(result.map { $0[index] }) }
            })
    }
}
