import PlugboardKit
import SQLiteStore
import Synchronization

/// Says once that the file cannot be used, and says so again only after it could be.
final class FileTroubles: Sendable {
    private let host: PluginHost
    private let isKnown = Mutex(false)

    init(host: PluginHost) { self.host = host }

    /// A sentence of the store's own.
    func note(_ sentence: String) {
        isKnown.withLock { $0 = true }
        host.log(.warning, sentence)
    }

    func note(_ failure: SQLiteFailure) {
        let isNews = isKnown.withLock { isKnown in
            defer { isKnown = true }
            return !isKnown
        }
        guard isNews, failure.kind != .closed else { return }
        host.log(.warning, "Cookies cannot be kept in their file: \(failure). They are in memory until they can.")
    }

    func end() { isKnown.withLock { $0 = false } }
}
