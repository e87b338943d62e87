/// A SQLite file for plugins that store data, on a thread of its own.
///
/// Work is performed in the order in which it was added, from any threads. The file is opened with the first work,
/// survives `kill -9` at any time (write-ahead log), and may be used by several processes at once, which wait for each
/// other. If a file of this schema is damaged, it is moved aside as `NAME.damaged-1` and so on, with a notice, and a
/// new file is made: stored data may be lost. That happens only if all of the file can be read, a fresh connection
/// finds the damage again, and no other connection has it open, in any process. A file of another program, or of a
/// newer version, is refused and not changed. A file that can be read only is read, with one notice. Only their owner
/// can read the file, those that SQLite makes beside it, and `NAME-reserve`, which marks the file and reserves some
/// disk space for the case that the disk is full.
///
/// A store that is released ends after its work.
public final class SQLiteStore: Sendable {
    /// Where the data is stored.
    public enum Location: Sendable, Equatable {
        /// A path. Missing folders are made, with access for their owner only. The file must not be a symbolic link,
        /// and other users must not be able to write to its folder, which may not be a sticky one either; a group with
        /// this user as its only member may.
        case file(String)
        /// The data is kept in memory, for this store only, until it is released.
        case memory
    }

    /// When work is performed.
    public enum Urgency: Sendable {
        /// It is performed at once, after the work added before.
        case now
        /// It is performed with the next work that is `now`, or after 20 ms: for work without a waiting caller, so that
        /// several pieces of work are performed together.
        case soon
    }

    private let thread: StoreThread
    private let interruption = Interruption()

    /// Creates a store; its file is opened later.
    ///
    /// - Parameters:
    ///   - patience: How long the store waits for another process that writes.
    ///   - notice: Gets a sentence when the file was moved aside or cannot be opened, on the store's thread.
    public init(
        _ location: Location, schema: Schema, patience: Duration = .seconds(5),
        notice: @escaping @Sendable (String) -> Void
    ) {
        let interruption = interruption
        thread = StoreThread {
            Session(
                Opening(location: location, schema: schema, patience: patience, notice: notice),
                interruption: interruption)
        }
    }

    /// Throws a failure of the kind `refused` if a store must not use a path: it is a file of another program or user,
    /// or a link, or other users may write to it. Other failures, such as a full disk, are reported by a store's first
    /// work. Changes nothing. Blocks.
    public static func check(_ path: String, schema: Schema) throws(SQLiteFailure) {
        try Opening(location: .file(path), schema: schema, patience: .seconds(1), notice: { _ in }).check()
    }

    deinit { thread.close() }

    /// Performs work later on the store's thread. From any thread.
    ///
    /// - Parameters:
    ///   - urgency: When it is performed; the order of work does not depend on it.
    ///   - work: If it leaves a transaction open, the transaction is rolled back.
    ///   - then: Gets the result, on the store's thread, or at once on the caller's if the store is closed.
    public func perform<Value: Sendable>(
        when urgency: Urgency = .now, _ work: @escaping @Sendable (Connection) throws(SQLiteFailure) -> Value,
        then: @escaping @Sendable (Result<Value, SQLiteFailure>) -> Void
    ) {
        let isAdded = thread.add(urgency) { session in then(session?.perform(work) ?? .failure(.closed)) }
        if !isAdded { then(.failure(.closed)) }
    }

    /// Performs work without reporting its result. From any thread.
    public func perform(_ work: @escaping @Sendable (Connection) throws(SQLiteFailure) -> Void) {
        perform(work) { _ in }
    }

    /// Performs work on the store's thread and returns its result. Cancelling the task does not end it.
    public func performing<Value: Sendable>(
        _ work: @escaping @Sendable (Connection) throws(SQLiteFailure) -> Value
    ) async throws(SQLiteFailure) -> Value {
        try await withCheckedContinuation { continuation in
            perform(work) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Performs work on the store's thread and blocks until it is done. For start-up and shutdown; never inside other
    /// work.
    public func performAndWait<Value: Sendable>(
        _ work: @escaping @Sendable (Connection) throws(SQLiteFailure) -> Value
    ) throws(SQLiteFailure) -> Value {
        precondition(
            !thread.isCurrent, "Work cannot wait for other work of its store: call it, or use perform(_:then:).")
        let outcome = Outcome<Value>()
        perform(work) { outcome.set($0) }
        return try outcome.wait().get()
    }

    /// The number of pieces of work that are not done, including the current one.
    public var pending: Int { thread.pending }

    /// Refuses new work, performs the work added before, and closes the file. Blocks up to the limit.
    ///
    /// - Returns: False if the limit was reached; then the rest of the work fails with the kind `closed`.
    @discardableResult
    public func close(within limit: Duration) -> Bool {
        thread.close()
        if thread.isCurrent { return false }
        if thread.join(within: limit) { return true }
        interruption.interrupt()
        return false
    }
}
