import PlugboardKit
import SQLiteStore
import Synchronization

/// Small entries that wait to be written in one transaction: each by itself would cost several times as much.
final class Gathering: Sendable {
    /// A whole entry, of which nothing is in the file yet.
    struct Addition: Sendable {
        let answer: StoredResponse
        let pieces: [Bytes]
        let length: Int
        /// Ids of those that it takes the place of.
        let replaced: [Int64]
        /// Told the entry's id, on the store's thread.
        let done: @Sendable (Result<Int64, SQLiteFailure>) -> Void
    }

    private struct State {
        var additions: [Addition]
        var bytes: Int
        var isClosed = false
    }

    private let state: Mutex<State>

    /// So many, or of so many bytes, are written without waiting for more.
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

    /// All that came together; from now on nothing is added.
    func close() -> [Addition] {
        state.withLock { state in
            state.isClosed = true
            return state.additions
        }
    }
}

extension SQLiteCacheStore {
    /// Adds an entry, soon, together with others.
    func gather(_ addition: Gathering.Addition) {
        switch state.withLock({ $0.gathering })?.add(addition) {
        case .added: break
        case .addedTheLast: store.perform { (_) throws(SQLiteFailure) in }
        case .closed, nil:
            let gathering = Gathering(addition)
            write(gathering)
            // Only now: what is asked of the file in between may take an entry away that was added after it, which is
            // fetched again; the other way round, one that was purged would come back.
            state.withLock { $0.gathering = gathering }
        }
    }

    private func write(_ gathering: Gathering) {
        add(
            when: .soon,
            { (file, connection) throws(SQLiteFailure) in try file.insert(gathering.close(), connection) },
            then: { result in
                for (index, addition) in gathering.close().enumerated() { addition.done(result.map { $0[index] }) }
            })
    }
}
