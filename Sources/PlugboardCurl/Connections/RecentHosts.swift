/// Hosts (with their ports) that were noted recently.
struct RecentHosts {
    /// Nanoseconds for which a host is remembered.
    private static let memory: Int64 = 60_000_000_000
    /// How many hosts are remembered. When there would be more, all are forgotten.
    private static let limit = 1024

    private var times: [String: Int64] = [:]

    mutating func note(_ hostAndPort: String, at now: Int64) {
        if times.count >= RecentHosts.limit { times.removeAll() }
        times[hostAndPort] = now
    }

    func contains(_ hostAndPort: String, at now: Int64) -> Bool {
        guard !times.isEmpty, let last = times[hostAndPort] else { return false }
        return now - last < RecentHosts.memory
    }
}
