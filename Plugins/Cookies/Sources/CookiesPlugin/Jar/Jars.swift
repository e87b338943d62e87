import PlugboardKit
import SQLiteStore
import Synchronization

/// All jars by name, in memory, and the file that they are kept in beyond the process.
///
/// What requests need is in memory, under a lock. The file is read and written on its store's thread: changes go there in batches, as many
/// as have come while it was busy; what other processes have written is taken over when somebody asks after `freshness`.
final class Jars: Sendable {
    /// How long other processes' changes may go unseen.
    static let freshness = Duration.seconds(1)

    private struct State {
        var jars: [String: Jar] = [:]
        var isSaving = false
        /// On the monotonic clock; nil before the file was first read.
        var readAt: Duration?
        var isReading = false
        /// Whether a reading takes longer than a request waits.
        var isOverdue = false
        var readers: [Ticket] = []
        /// What the file was at the last reading.
        var version: Version?
    }

    private struct Version: Equatable {
        var connection: ObjectIdentifier
        var data: Int64
    }

    private let state = Mutex(State())
    private let limits: Jar.Limits
    private let suffixes: PublicSuffixes
    private let store: SQLiteStore?
    private let troubles: FileTroubles
    private let host: PluginHost

    /// - Parameter path: The file; nil keeps everything in memory.
    init(limits: Jar.Limits, suffixes: PublicSuffixes, path: String?, host: PluginHost) {
        self.limits = limits
        self.suffixes = suffixes
        self.host = host
        let troubles = FileTroubles(host: host)
        self.troubles = troubles
        store = path.map { path in
            SQLiteStore(.file(path), schema: CookieFile.schema) { troubles.note($0) }
        }
    }

    // MARK: In memory

    /// Looks at a jar, or changes it, and lets the file know what has changed.
    func withJar<Result: Sendable>(_ name: String, _ body: (inout Jar, Duration) -> Result) -> Result {
        let now = host.wallClock
        let (result, mustSave) = state.withLock { state in
            let result = body(&state.jars[name, default: Jar(limits: limits, suffixes: suffixes)], now)
            let hasChanges = state.jars[name]?.unsaved.isEmpty == false
            if state.jars[name]?.isEmpty == true && !hasChanges { state.jars[name] = nil }
            let mustSave = store != nil && hasChanges && !state.isSaving
            if mustSave { state.isSaving = true }
            return (result, mustSave)
        }
        if mustSave { beginSaving() }
        return result
    }

    /// Whether no jar holds anything.
    var isEmpty: Bool { state.withLock { $0.jars.isEmpty } }

    /// What a request carries: nil where the jar has nothing for it.
    func field(for place: RequestURI, from name: String) -> [UInt8]? {
        state.withLock { state in
            // Without a look at the clock where there is nothing to send.
            guard state.jars[name]?.isEmpty == false else { return nil }
            return state.jars[name]?.field(for: place, now: host.wallClock)
        }
    }

    /// The jars that hold something, by name.
    var names: [String] { state.withLock { $0.jars.filter { !$0.value.isEmpty }.keys.sorted() } }

    // MARK: The file

    /// Whether a request should wait, because the file was never read or may have changed since.
    func isStale(at now: Duration) -> Bool {
        guard store != nil else { return false }
        return state.withLock { state in
            !state.isOverdue && state.readAt.map { now - $0 > Jars.freshness } ?? true
        }
    }

    /// A request has waited for the file in vain: others need not, until it can be read again.
    func giveUpWaiting() { state.withLock { $0.isOverdue = $0.isReading } }

    /// Reads what other processes have written, if they have; the ticket is woken when that is done, whatever came of it.
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
            told(result)
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

    /// Reads and writes what there is to read and write, and blocks until that is done. For commands.
    func synchronize() {
        guard let store else { return }
        do throws(SQLiteFailure) {
            try store.performAndWait { [self] (connection) throws(SQLiteFailure) in
                try rescuing { () throws(SQLiteFailure) in
                    try save(connection)
                    try read(connection)
                }
            }
            told(.success(()))
        } catch {
            told(.failure(error))
        }
    }

    /// Drops one jar, or all, in memory and in the file. Blocks.
    func clear(_ name: String?) {
        drop(name)
        guard let store else { return }
        do throws(SQLiteFailure) {
            try store.performAndWait { [self] (connection) throws(SQLiteFailure) in
                // Once more: it may just have been read.
                drop(name)
                try CookieFile.clear(connection, jar: name)
            }
            told(.success(()))
        } catch {
            told(.failure(error))
        }
    }

    /// Writes what is left, and closes the file.
    func close(within limit: Duration) {
        beginSaving()
        store?.close(within: limit)
    }

    private func beginSaving() {
        store?.perform { [self] (connection) throws(SQLiteFailure) in
            try rescuing { () throws(SQLiteFailure) in try save(connection) }
        } then: { [self] result in
            told(result)
        }
    }

    private func drop(_ name: String?) {
        state.withLock { state in
            if let name { state.jars[name] = nil } else { state.jars = [:] }
        }
    }

    // MARK: On the store's thread

    /// Reads what others have written, and writes what could not be written before.
    private func refresh(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        try read(connection)
        if state.withLock({ $0.jars.values.contains { !$0.unsaved.isEmpty } }) { try save(connection) }
    }

    /// A damaged file is moved aside: what it held is to be in the next one too.
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
        let version = Version(connection: ObjectIdentifier(connection), data: try connection.dataVersion())
        let known = state.withLock { $0.version }
        guard version != known else { return }
        let now = host.wallClock
        if known == nil { try CookieFile.removeExpired(connection, now: now) }
        let saved = try CookieFile.read(connection)
        state.withLock { state in
            for name in Set(saved.keys).union(state.jars.keys) {
                var jar = state.jars[name] ?? Jar(limits: limits, suffixes: suffixes)
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
        } catch {
            state.withLock { state in
                for (name, changes) in changes {
                    state.jars[name, default: Jar(limits: limits, suffixes: suffixes)].putBack(changes.ids)
                }
            }
            throw error
        }
    }

    private func told(_ result: Result<Void, SQLiteFailure>) {
        switch result {
        case .success: troubles.end()
        case .failure(let failure):
            // Where the file could not be opened, nothing has run.
            state.withLock { $0.isSaving = false }
            troubles.note(failure)
        }
    }
}
