import PlugboardKit

/// The requests under way, and which of them are shown. A value without a clock or a terminal.
struct ActiveRequests {
    struct Row: Equatable {
        let exchange: UInt64
        let message: String
        let isModal: Bool
        let control: String?
        /// The host's time at its beginning.
        let began: Duration
        var isSuspended = false
        /// Whether the response came without the network. Such a request is not shown.
        var isStored = false
        var progress = TransferProgress()
    }

    private let delay: Duration
    /// The rows by exchange, because each event looks for its own among thousands of requests.
    private var rows: [UInt64: Row] = [:]

    init(delay: Duration) { self.delay = delay }

    var count: Int { rows.count }

    mutating func begin(_ row: Row) { rows[row.exchange] = row }

    /// Changes a request; returns it as it is then, or nil if it is not under way.
    mutating func change(_ exchange: UInt64, _ change: (inout Row) -> Void) -> Row? {
        guard let index = rows.index(forKey: exchange) else { return nil }
        change(&rows.values[index])
        return rows.values[index]
    }

    /// Returns the request that has ended; nil if it is not under way.
    mutating func end(_ exchange: UInt64) -> Row? { rows.removeValue(forKey: exchange) }

    /// The requests that have taken longer than the delay, the oldest first; only the modal ones, if any.
    func shown(at now: Duration) -> [Row] {
        let due = rows.values.filter { !$0.isStored && now - $0.began >= delay }
        let modal = due.filter(\.isModal)
        return (modal.isEmpty ? due : modal).sorted { $0.exchange < $1.exchange }
    }

    /// The time until another request is to be shown; nil if none waits.
    func wait(at now: Duration) -> Duration? {
        var first: Duration?
        for row in rows.values where !row.isStored && now - row.began < delay {
            first = min(first ?? row.began, row.began)
        }
        return first.map { $0 + delay - now }
    }
}
