import CSQLite
import Synchronization

/// Ends a statement that runs on the store's thread, from another.
final class Interruption: Sendable {
    // Under the lock, so that a database is not closed while it is interrupted.
    private let database = Mutex<UInt>(0)

    func interrupt() {
        database.withLock { address in
            if let database = OpaquePointer(bitPattern: address) { sqlite3_interrupt(database) }
        }
    }

    func set(_ open: OpaquePointer?) { database.withLock { $0 = UInt(bitPattern: open) } }
}
