extension Jar {
    /// "Removes excess cookies" (RFC 6265bis §5.7) in the draft's order, after one cookie was added to a domain.
    mutating func removeExcess(of domain: String, now: Duration) {
        if domains[domain, default: []].count > limits.perDomain { shrink(domain, now) }
        if count > limits.total { shrink(now) }
    }

    /// Removes excess cookies of the whole jar, after many were added.
    mutating func enforceLimits(now: Duration) {
        for (domain, cookies) in domains where cookies.count > limits.perDomain { shrink(domain, now) }
        if count > limits.total { shrink(now) }
    }

    private mutating func shrink(_ domain: String, _ now: Duration) {
        for id in expired(of: domain, now) { remove(id) }
        let excess = excess(of: domain)
        for id in excess { remove(id) }
        evictions += excess.count
    }

    // These return ids and not cookies: holding the cookies would make each removal copy the array.

    private func expired(of domain: String, _ now: Duration) -> [Cookie.ID] {
        let cookies = domains[domain, default: []]
        return cookies.indices.lazy.filter { cookies[$0].hasExpired(at: now) }.map { cookies[$0].id }
    }

    private func excess(of domain: String) -> [Cookie.ID] {
        let cookies = domains[domain, default: []]
        func isLess(_ left: Int, _ right: Int) -> Bool {
            cookies[left].isSecure == cookies[right].isSecure
                ? cookies[left].accessed < cookies[right].accessed : !cookies[left].isSecure
        }
        let excess = cookies.count - limits.perDomain
        guard excess > 0 else { return [] }
        // One cookie is in excess after one was added: a head with thousands of cookies must not sort thousands of
        // times.
        if excess == 1 { return cookies.indices.min(by: isLess).map { [cookies[$0].id] } ?? [] }
        return cookies.indices.sorted(by: isLess).prefix(excess).map { cookies[$0].id }
    }

    private mutating func shrink(_ now: Duration) {
        remove { $0.hasExpired(at: now) }
        guard count > limits.total else { return }
        // Removes more than necessary, so that a full jar is not sorted for each new cookie.
        let goal = limits.total - limits.total / 16
        var sizes = domains.mapValues(\.count)
        var rest = domains.values.joined().sorted { $0.accessed < $1.accessed }
        for rule in [Rule.insecureOfMany, .anyOfMany, .any] {
            var kept: [Cookie] = []
            for cookie in rest {
                let size = sizes[cookie.id.domain, default: 0]
                guard count > goal, rule.allows(cookie, size) else {
                    kept.append(cookie)
                    continue
                }
                remove(cookie.id)
                sizes[cookie.id.domain] = size - 1
                evictions += 1
            }
            rest = kept
        }
    }

    /// The order in which a full jar removes cookies.
    private enum Rule {
        case insecureOfMany, anyOfMany, any

        func allows(_ cookie: Cookie, _ size: Int) -> Bool {
            switch self {
            case .insecureOfMany: !cookie.isSecure && size > Limits.fairShare
            case .anyOfMany: size > Limits.fairShare
            case .any: true
            }
        }
    }
}
