import PlugboardKit
import PlugboardSQLite
import Synchronization

/// All jars by name, in memory, and the file that stores them.
///
/// Requests use the memory, under a lock. The file is read and written on its store's thread: changes are written in
/// batches, one batch for all changes that came while the thread was busy; changes of other processes are read when a
/// request comes later than `freshness` after the last reading.
final class Jars: Sendable {
    /// The longest time that changes of other processes may stay unseen.
    static let freshness = Duration.seconds(1)
    /// How long a change waits for another process that writes. Two tries end within the five seconds that the command
    /// gives plugins to stop.
    private static let lockPatience = Duration.seconds(2)

    private struct State {
        var jars: [String: Jar] = [:]
        var isSaving = false
        /// When the file was last read, on the monotonic clock; nil before the first time.
        var readAt: Duration?
        var isReading = false
        /// Whether a reading takes longer than requests wait.
        var isOverdue = false
        var readers: [Ticket] = []
        /// The file's version at the last reading.
        var version: Version?
        /// Whether this process has removed expired cookies from the file.
        var hasTidied = false
    }

    private struct Version: Equatable {
        /// The number of the file that was opened; another one may have the same data version.
        var opening: Int
        var data: Int64
    }

    private let state = Mutex(State())
    /// The initial value of each jar.
    private let empty: Jar
    private let store: SQLiteStore?
    private let troubles: FileTroubles
    private let host: PluginHost

    /// - Parameter path: The file; nil keeps everything in memory.
    init(empty: Jar, path: String?, host: PluginHost) {
        self.empty = empty
        self.host = host
        let troubles = FileTroubles(host: host)
        self.troubles = troubles
        store = path.map { path in
            SQLiteStore(.file(path), schema: CookieFile.schema, patience: Jars.lockPatience) { troubles.note($0) }
        }
    }

    // MARK: In memory

    /// Reads or changes a jar, and starts saving if it has changed.
    func withJar<Result: Sendable>(_ name: String, _ body: (inout Jar, Duration) -> Result) -> Result {
        let now = host.wallClock
        let (result, mustSave) = state.withLock { state in
            let result = body(&state.jars[name, default: empty], now)
            let hasChanges = state.jars[name]?.unsaved.isEmpty == false
            if state.jars[name]?.isEmpty == true && !hasChanges { state.jars[name] = nil }
            let mustSave = store != nil && hasChanges && !state.isSaving
            if mustSave { state.isSaving = true }
            return (result, mustSave)
        }
        if mustSave { beginSaving() }
        return result
    }

    /// Whether all jars are empty.
    var isEmpty: Bool { state.withLock { $0.jars.isEmpty } }

    /// The value of a request's `Cookie` field; nil if the jar has no cookies for it.
    func field(for uri: RequestURI, from name: String) -> [UInt8]? {
        state.withLock { state in
            // Does not read the clock if the jar is empty.
            guard state.jars[name]?.isEmpty == false else { return nil }
            return state.jars[name]?.field(for: uri, now: host.wallClock)
        }
    }

    /// The names of the jars that are not empty.
    var names: [String] { state.withLock { $0.jars.filter { !$0.value.isEmpty }.keys.sorted() } }

    // MARK: The file

    /// Whether a request should wait because the file was never read or its last reading is too old.
    func isStale(at now: @autoclosure () -> Duration) -> Bool {
        guard store != nil else { return false }
        let now = now()
        return state.withLock { state in
            !state.isOverdue && state.readAt.map { now - $0 > Jars.freshness } ?? true
        }
    }

    /// Called when a request has waited too long for the file. Later requests do not wait until it has been read.
    func giveUpWaiting() { state.withLock { $0.isOverdue = $0.isReading } }

    /// Reads the changes of other processes, and then wakes the ticket, even after a failure.
    func refresh(waking reader: Ticket?) {
        guard let store else {
            reader?.wake()
            return
        }
        let begins = state.withLock { state in
            if let reader { state.readers.append(reader) }
            defer { state.isReading = true }
            return !state.isReading
        }
        guard begins else { return }
        store.perform { [self] (connection) throws(SQLiteFailure) in
            try rescuing { () throws(SQLiteFailure) in try refresh(connection) }
        } then: { [self] result in
            report(result)
            let readers = state.withLock { state in
                state.isReading = false
                state.isOverdue = false
                state.readAt = host.now
                defer { state.readers = [] }
                return state.readers
            }
            for reader in readers { reader.wake() }
        }
    }

    /// Writes all changes, reads those of other processes, and blocks until that has ended. For commands.
    func synchronize() {
        guard let store else { return }
        do throws(SQLiteFailure) {
            try store.performAndWait { [self] (connection) throws(SQLiteFailure) in
                try rescuing { () throws(SQLiteFailure) in
                    try save(connection)
                    try read(connection)
                }
            }
            report(.success(()))
        } catch {
            report(.failure(error))
        }
    }

    /// Removes one jar, or all, from memory and from the file. Blocks.
    func clear(_ name: String?) {
        drop(name)
        guard let store else { return }
        do throws(SQLiteFailure) {
            try store.performAndWait { [self] (connection) throws(SQLiteFailure) in
                // Dropped again, because a reading may have added cookies in between.
                drop(name)
                try CookieFile.clear(connection, jar: name)
            }
            report(.success(()))
        } catch {
            report(.failure(error))
        }
    }

    /// Writes the remaining changes, and closes the file.
    func close(within limit: Duration) {
        guard let store else { return }
        let mustSave = store.pending > 0 || state.withLock { $0.jars.values.contains { !$0.unsaved.isEmpty } }
        beginSaving()
        // When cookies were sent last is worth no long wait for another process that writes.
        store.close(within: mustSave ? limit : min(limit, .milliseconds(250)))
    }

    private func beginSaving() {
        store?.perform { [self] (connection) throws(SQLiteFailure) in
            try rescuing { () throws(SQLiteFailure) in try save(connection) }
        } then: { [self] result in
            report(result)
        }
    }

    private func drop(_ name: String?) {
        state.withLock { state in
            if let name { state.jars[name] = nil } else { state.jars = [:] }
        }
    }

    // MARK: On the store's thread

    /// Reads the changes of other processes, and writes changes that could not be written before.
    private func refresh(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        try read(connection)
        if state.withLock({ $0.jars.values.contains { !$0.unsaved.isEmpty } }) { try save(connection) }
    }

    /// After damage, the store moves the file aside. Then all persistent cookies must be written to the next file.
    private func rescuing(_ work: () throws(SQLiteFailure) -> Void) throws(SQLiteFailure) {
        do throws(SQLiteFailure) {
            try work()
        } catch {
            if error.kind == .damaged {
                state.withLock { state in
                    for name in state.jars.keys { state.jars[name]?.markUnsaved() }
                }
            }
            throw error
        }
    }

    private func read(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        let version = Version(opening: connection.opening, data: try connection.dataVersion())
        let known = state.withLock { $0.version }
        guard version != known else { return }
        let now = host.wallClock
        let saved = try CookieFile.read(connection)
        state.withLock { state in
            for name in Set(saved.keys).union(state.jars.keys) {
                var jar = state.jars[name] ?? empty
                jar.load(saved[name] ?? [], now: now)
                state.jars[name] = jar.isEmpty && jar.unsaved.isEmpty ? nil : jar
            }
            state.version = version
        }
    }

    private func save(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        let changes = state.withLock { state in
            state.isSaving = false
            var changes: [String: Jar.Changes] = [:]
            for name in state.jars.keys {
                let taken = state.jars[name]?.takeChanges()
                changes[name] = taken?.isEmpty == false ? taken : nil
                if state.jars[name]?.isEmpty == true { state.jars[name] = nil }
            }
            return changes
        }
        guard !changes.isEmpty else { return }
        do throws(SQLiteFailure) {
            try CookieFile.write(changes, connection)
            let hasTidied = state.withLock { state in
                defer { state.hasTidied = true }
                return state.hasTidied
            }
            // Not when the file is read: requests wait for that, and it would wait for another process that writes.
            if !hasTidied { try CookieFile.removeExpired(connection, now: host.wallClock) }
        } catch {
            state.withLock { state in
                for (name, changes) in changes {
                    state.jars[name, default: empty].putBack(changes.ids)
                }
            }
            throw error
        }
    }

    private func report(_ result: Result<Void, SQLiteFailure>) {
        switch result {
        case .success: troubles.end()
        case .failure(let failure):
            // If the file could not be opened, `save` has not run.
            state.withLock { $0.isSaving = false }
            troubles.note(failure)
        }
    }
}
