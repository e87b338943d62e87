import CPlugboardSQLite
import Synchronization

/// Ends the statement that runs on the store's thread, from another thread.
final class Interruption: Sendable {
    // Under the lock, so that a database is not closed while it is interrupted.
    private let database = Mutex<UInt>(0)

    private let isAsked = Atomic(false)

    /// Ends the current statement and all later ones.
    func interrupt() {
        isAsked.store(true, ordering: .relaxed)
        database.withLock { address in
            if let database = OpaquePointer(bitPattern: address) { sqlite3_interrupt(database) }
        }
    }

    func set(_ open: OpaquePointer?) {
        if let open {
            let context = Unmanaged.passUnretained(self).toOpaque()
            sqlite3_progress_handler(
                open, 10_000,
                { context in
                    guard let context else { return 0 }
                    let interruption = Unmanaged<Interruption>.fromOpaque(context).takeUnretainedValue()
                    return interruption.isAsked.load(ordering: .relaxed) ? 1 : 0
                }, context)
        }
        database.withLock { $0 = UInt(bitPattern: open) }
    }
}
