import PlugboardKit
import Synchronization

/// The table that all exchanges of a plugin share.
final class Origins: Sendable {
    private let table: Mutex<OriginTable>
    private let inTrouble = Atomic(false)

    init(_ limits: OriginTable.Limits) { table = Mutex(OriginTable(limits)) }

    /// Whether any origin is remembered.
    ///
    /// Asked by every exchange, so without the lock: one that begins as the first origin fails may pass unseen.
    var areInTrouble: Bool { inTrouble.load(ordering: .relaxed) }

    func withTable<Result>(_ body: (inout sending OriginTable) -> sending Result) -> sending Result {
        table.withLock { table in
            let result = body(&table)
            inTrouble.store(!table.entries.isEmpty, ordering: .relaxed)
            return result
        }
    }
}
