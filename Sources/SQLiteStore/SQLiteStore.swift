/// A SQLite file for plugins that remember, on a thread of its own.
///
/// Work is done in the order in which it was given, by whatever threads. The file is opened with the first work,
/// survives `kill -9` at any moment (write-ahead log), and may be used by several processes at once; a busy one is
/// waited for. A file of this schema that is damaged, or of a newer version, is moved aside, `NAME.damaged-1` and so on,
/// with a notice, and a fresh one is begun: what a store holds may be lost. A file of another program is refused and left
/// as it is. The file, those that SQLite keeps beside it, and `NAME-reserve`, which marks the file and holds some disk space
/// for the time when the disk is full, can be read by their owner only.
///
/// A store that is released ends when its work is done.
public final class SQLiteStore: Sendable {
    public enum Location: Sendable, Equatable {
        /// A path; folders that are missing are made, for their owner only. A symbolic link in the file's place is
        /// refused, and so is a folder that others may write, a sticky one included; a group of this user alone may
        /// write it.
        case file(String)
        /// Gone with the store, and seen by no other.
        case memory
    }

    /// When work is done.
    public enum Urgency: Sendable {
        case now
        /// With the next work that is `now`, or after 20 ms: for what nobody waits for, so that more of it comes together.
        case soon
    }

    private let thread: StoreThread
    private let interruption = Interruption()

    /// Opens nothing yet, and cannot fail.
    /// - Parameters:
    ///   - patience: how long another process that writes is waited for.
    ///   - notice: gets a sentence when a file was moved aside, or cannot be opened. On the store's thread.
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

    /// Throws a `refused` failure if a path leads to what a store must not use: another program's or user's file, a link, or
    /// what others may write. Other troubles, such as a full disk, show with a store's first work. Changes nothing.
    /// Blocks.
    public static func check(_ path: String, schema: Schema) throws(SQLiteFailure) {
        try Opening(location: .file(path), schema: schema, patience: .seconds(1), notice: { _ in }).check()
    }

    deinit { thread.close() }

    /// Does work on the store's thread, later. From any thread.
    /// - Parameters:
    ///   - when: the order stays, however urgent other work is.
    ///   - work: what it leaves unfinished, such as an open transaction, is undone.
    ///   - then: gets the result on the store's thread, or on the caller's at once if the store is closed.
    public func perform<Value: Sendable>(
        when urgency: Urgency = .now, _ work: @escaping @Sendable (Connection) throws(SQLiteFailure) -> Value,
        then: @escaping @Sendable (Result<Value, SQLiteFailure>) -> Void
    ) {
        let isAdded = thread.add(urgency) { session in then(session?.perform(work) ?? .failure(.closed)) }
        if !isAdded { then(.failure(.closed)) }
    }

    /// Does work whose outcome nobody waits for. From any thread.
    public func perform(_ work: @escaping @Sendable (Connection) throws(SQLiteFailure) -> Void) {
        perform(work) { _ in }
    }

    /// Does work on the store's thread, and waits for it without blocking. Not ended by the task's cancellation.
    public func performing<Value: Sendable>(
        _ work: @escaping @Sendable (Connection) throws(SQLiteFailure) -> Value
    ) async throws(SQLiteFailure) -> Value {
        try await withCheckedContinuation { continuation in
            perform(work) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Does work on the store's thread, and blocks until it is done. For start and stop; never from within other
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

    /// Work that is not done yet, the one under way included.
    public var pending: Int { thread.pending }

    /// Takes no more work, does what it has, and closes the file. Blocks up to the limit.
    /// - Returns: false if the limit was reached; then the rest of the work fails as `closed`.
    @discardableResult
    public func close(within limit: Duration) -> Bool {
        thread.close()
        if thread.isCurrent { return false }
        if thread.join(within: limit) { return true }
        interruption.interrupt()
        return false
    }
}
