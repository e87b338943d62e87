import PlugboardMessages

/// Where the exchanges come from that the page shows. Called from any task.
protocol ExchangeSource: Sendable {
    /// Whether its requests can be sent again.
    var sendsAgain: Bool { get }

    /// A document of HAR with the newest exchanges whose numbers lie between two, without them, from the oldest one. It
    /// has fewer than `limit` also where they would be more than about 16 MiB, but at least one if there is one.
    ///
    /// - Parameters:
    ///   - before: Nil for no limit.
    ///   - limit: The most exchanges.
    func har(after: Int, before: Int?, limit: Int) async throws(PlugboardError) -> [UInt8]

    /// Sends the request of an exchange once more, and returns a sentence about what came of it.
    func sendAgain(_ id: Int) async throws(PlugboardError) -> String
}
