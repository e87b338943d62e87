import PlugboardKit
import Synchronization

/// The table that all exchanges of a plugin share.
final class Origins: Sendable {
    private let table: Mutex<OriginTable>
    private let hasEntries = Atomic(false)

    init(_ limits: OriginTable.Limits) { table = Mutex(OriginTable(limits)) }

    /// Whether the table has any entry.
    ///
    /// Read by every exchange, therefore without the lock: an exchange that begins while the first origin fails may
    /// miss it.
    var areInTrouble: Bool { hasEntries.load(ordering: .relaxed) }

    func withTable<Result>(_ body: (inout sending OriginTable) -> sending Result) -> sending Result {
        table.withLock { table in
            let result = body(&table)
            hasEntries.store(!table.entries.isEmpty, ordering: .relaxed)
            return result
        }
    }
}
