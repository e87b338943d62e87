/// The state of a store's thread: the connection, which is opened, closed and replaced here. Used on that thread only.
final class Session {
    private let opening: Opening
    private let interruption: Interruption
    private var connection: SQLiteStore.Connection?
    private var openings = 0
    /// The reason why the file could not be opened, and the time before which it is not tried again.
    private var refusal: (failure: SQLiteFailure, until: ContinuousClock.Instant)?
    /// The time when a read-only file is opened again, because it may be writable then; nil for other files.
    private var renewal: ContinuousClock.Instant?

    private static let patience: Duration = .seconds(5)

    init(_ opening: Opening, interruption: Interruption) {
        self.opening = opening
        self.interruption = interruption
    }

    func perform<Value>(
        _ work: (SQLiteStore.Connection) throws(SQLiteFailure) -> Value
    ) -> Result<Value, SQLiteFailure> {
        do throws(SQLiteFailure) {
            let (result, damage) = try performOpened(work)
            guard let damage else { return result }
            if opening.moveAside(damage.message) { return .failure(damage) }
            // It was a failed read, or the file is kept for another reason.
            return .failure(.inaccessible("\(opening.name) could not be read: \(damage.message)."))
        } catch {
            return .failure(error)
        }
    }

    /// The result, and the damage that was found. In that case the file is closed, and nothing here refers to it.
    private func performOpened<Value>(
        _ work: (SQLiteStore.Connection) throws(SQLiteFailure) -> Value
    ) throws(SQLiteFailure) -> (Result<Value, SQLiteFailure>, damage: SQLiteFailure?) {
        let connection = try opened()
        let result = Result { () throws(SQLiteFailure) in try work(connection) }
        connection.rollBack()
        if connection.damage != nil {
            close(leavingLog: true)
        } else if connection.isSuspect {
            // The next opening checks whether the file is the cause.
            close()
        }
        return (result, connection.damage)
    }

    /// Best effort: errors are ignored.
    func close() { close(leavingLog: connection?.hasMoved ?? false) }

    private func opened() throws(SQLiteFailure) -> SQLiteStore.Connection {
        if let connection {
            let isDue = connection.isReadOnly && renewal.map { $0 <= .now } ?? false
            if !connection.hasMoved && !isDue { return connection }
            // The file was removed or moved aside. The file that has its name now is the store.
            close(leavingLog: true)
        }
        if let refusal, refusal.until > .now { throw refusal.failure }
        do throws(SQLiteFailure) {
            let connection = try opening.open(openings + 1)
            openings += 1
            refusal = nil
            if connection.isReadOnly, renewal == nil {
                opening.notice("\(opening.name) can be read only: what it has is used, and nothing is stored in it.")
            }
            renewal = connection.isReadOnly ? .now + Session.patience : nil
            self.connection = connection
            interruption.set(connection.database)
            return connection
        } catch {
            // The store has already waited for another process that holds the file.
            if error.kind == .busy { throw error }
            if refusal == nil { opening.notice("The store \(opening.name) cannot be opened: \(error)") }
            refusal = (error, .now + Session.patience)
            throw error
        }
    }

    private func close(leavingLog: Bool) {
        if leavingLog { connection?.leaveLog() }
        interruption.set(nil)
        let reserve = connection?.reserve
        connection = nil
        // The space of the log and its index is free again.
        if !leavingLog { reserve?.fill() }
    }
}
