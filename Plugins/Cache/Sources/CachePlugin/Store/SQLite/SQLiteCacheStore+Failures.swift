import SQLiteStore
import Synchronization

/// What becomes of changes that cannot be written.
extension SQLiteCacheStore {
    /// Does what could not be done before; throws if it still cannot.
    func finish(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        let changes = state.withLock { $0.unfinished }
        if changes.isEmpty { return }
        for change in changes { _ = try change.applyWithReserve(file, connection) }
        state.withLock { $0.unfinished = [] }
    }

    /// The same for who can do without, not more often than once a pause.
    func tryToFinish(_ connection: SQLiteStore.Connection) {
        if isPaused { return }
        do throws(SQLiteFailure) { try finish(connection) } catch { report(Result<Void, SQLiteFailure>.failure(error)) }
    }

    /// Entries of the file as they are with the changes that could not be written.
    func shown(_ entries: [CacheEntry]) -> [CacheEntry] {
        let changes = state.withLock { $0.unfinished }
        if changes.isEmpty { return entries }
        return entries.compactMap { entry in
            var entry = entry
            for change in changes where !change.show(in: &entry) { return nil }
            return entry
        }
    }

    func postpone(_ change: Change, _ failure: SQLiteFailure) {
        report(Result<Void, SQLiteFailure>.failure(failure))
        // A damaged file has been moved aside, with the entry.
        if failure.kind == .damaged || failure.kind == .closed { return }
        state.withLock { state in
            state.unfinished.append(change)
            // To remember everything is no way out either: then all goes.
            if state.unfinished.count > 1000 { state.unfinished = [.purge(.all)] }
        }
    }

    /// Warns once, until something has been written again.
    func report<Value>(_ result: Result<Value, SQLiteFailure>) {
        switch result {
        case .success:
            state.withLock { state in
                state.hasWarned = false
                state.pause = nil
            }
        case .failure(let failure):
            let mustPause = [.full, .inaccessible, .busy].contains(failure.kind)
            let isFirst = state.withLock { state in
                if mustPause { state.pause = .now + pause }
                defer { state.hasWarned = state.hasWarned || mustPause }
                return !state.hasWarned
            }
            if mustPause && isFirst {
                notice("Nothing is stored for a while, and requests go on: \(failure)")
            }
        }
    }
}
