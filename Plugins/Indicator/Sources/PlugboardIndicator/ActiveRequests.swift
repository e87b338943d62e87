import PlugboardKit

/// The requests under way, and which of them are shown. A value that knows neither clock nor terminal.
struct ActiveRequests {
    struct Row: Equatable {
        let exchange: UInt64
        let message: String
        let isModal: Bool
        let control: String?
        /// The host's time at its beginning.
        let began: Duration
        var isSuspended = false
        /// A response that needed no network is at hand at once, or is slow for other reasons than loading.
        var isStored = false
        var progress = TransferProgress()
    }

    private let delay: Duration
    /// In the order of their beginnings.
    private(set) var rows: [Row] = []

    init(delay: Duration) { self.delay = delay }

    mutating func begin(_ row: Row) { rows.append(row) }

    /// Changes a request; returns it as it is then, or nil if it is not under way.
    mutating func change(_ exchange: UInt64, _ change: (inout Row) -> Void) -> Row? {
        guard let index = rows.firstIndex(where: { $0.exchange == exchange }) else { return nil }
        change(&rows[index])
        return rows[index]
    }

    /// Returns the request that has ended; nil if it is not under way.
    mutating func end(_ exchange: UInt64) -> Row? {
        rows.firstIndex { $0.exchange == exchange }.map { rows.remove(at: $0) }
    }

    /// Those that have taken longer than the delay; only the modal ones, if there are any.
    func shown(at now: Duration) -> [Row] {
        let due = rows.filter { !$0.isStored && now - $0.began >= delay }
        let modal = due.filter(\.isModal)
        return modal.isEmpty ? due : modal
    }

    /// How long it takes until another request is to be shown; nil if none waits for it.
    func wait(at now: Duration) -> Duration? {
        rows.filter { !$0.isStored && now - $0.began < delay }.map { $0.began + delay - now }.min()
    }
}
