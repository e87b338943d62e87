/// Hosts that close kept connections right after a response, without saying so in it.
///
/// A request that is just being sent then may be lost, and whether it was carried out cannot be known. One that must not go
/// out twice gets a new connection at such a host (RFC 9110 §9.2.2, RFC 9112 §9.6).
struct AbruptHosts {
    /// Nanoseconds within which the end of an idle connection is abrupt; keep-alive time-outs are seconds.
    static let haste: Int64 = 200_000_000
    /// Nanoseconds for which a host is remembered after the last such end.
    private static let memory: Int64 = 60_000_000_000
    /// When there are more, all are forgotten.
    private static let limit = 1024

    private var lastEnds: [String: Int64] = [:]

    mutating func note(_ place: String, at now: Int64) {
        if lastEnds.count >= AbruptHosts.limit { lastEnds.removeAll() }
        lastEnds[place] = now
    }

    func contains(_ place: String, at now: Int64) -> Bool {
        guard !lastEnds.isEmpty, let last = lastEnds[place] else { return false }
        return now - last < AbruptHosts.memory
    }
}
