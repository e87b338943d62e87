import PlugboardMessages

/// The source of the exchanges that the page shows. Called from any task.
protocol ExchangeSource: Sendable {
    /// Whether its requests can be sent again.
    var sendsAgain: Bool { get }

    /// A document of HAR with the newest exchanges whose numbers are above `after` and below `before`, oldest first: at
    /// most `limit`, and at most about 16 MiB, but at least one if there is one.
    ///
    /// - Parameter before: Nil for no upper bound.
    func har(after: Int, before: Int?, limit: Int) async throws(PlugboardError) -> [UInt8]

    /// Sends the request of an exchange once more, and returns a sentence about what came of it.
    func sendAgain(_ id: Int) async throws(PlugboardError) -> String
}
