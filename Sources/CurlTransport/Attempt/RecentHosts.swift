/// Hosts, with their ports, of which something was noticed lately.
struct RecentHosts {
    /// Nanoseconds for which a host is remembered.
    private static let memory: Int64 = 60_000_000_000
    /// When there are more, all are forgotten.
    private static let limit = 1024

    private var times: [String: Int64] = [:]

    mutating func note(_ place: String, at now: Int64) {
        if times.count >= RecentHosts.limit { times.removeAll() }
        times[place] = now
    }

    func contains(_ place: String, at now: Int64) -> Bool {
        guard !times.isEmpty, let last = times[place] else { return false }
        return now - last < RecentHosts.memory
    }
}
