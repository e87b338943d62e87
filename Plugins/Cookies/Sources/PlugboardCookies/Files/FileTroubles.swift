import PlugboardKit
import PlugboardSQLite
import Synchronization

/// Logs once that the file cannot be used, and again only after it could be used in between.
final class FileTroubles: Sendable {
    private let host: PluginHost
    private let isKnown = Mutex(false)

    init(host: PluginHost) { self.host = host }

    /// Logs a message of the store.
    func note(_ sentence: String) {
        isKnown.withLock { $0 = true }
        host.log(.warning, sentence)
    }

    func note(_ failure: SQLiteFailure) {
        // The store has already logged that the file is read-only.
        if failure.kind == .readOnly { return }
        let isNews = isKnown.withLock { isKnown in
            defer { isKnown = true }
            return !isKnown
        }
        guard isNews, failure.kind != .closed else { return }
        host.log(.warning, "Cookies cannot be stored in the file: \(failure). They stay in memory until they can.")
    }

    func end() { isKnown.withLock { $0 = false } }
}
