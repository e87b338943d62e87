extension Jar {
    /// "Removes excess cookies" (RFC 6265bis §5.7) in the draft's order, after one cookie was added to a site.
    mutating func removeExcess(of site: String, now: Duration) {
        if sites[site, default: Site()].count > limits.perDomain { shrink(site, now) }
        if count > limits.total { shrink(now) }
    }

    /// Removes excess cookies of the whole jar, after many were added.
    mutating func enforceLimits(now: Duration) {
        for (site, content) in sites where content.count > limits.perDomain { shrink(site, now) }
        if count > limits.total { shrink(now) }
    }

    private mutating func shrink(_ site: String, _ now: Duration) {
        for domain in domains(of: site) { remove(from: domain) { $0.hasExpired(at: now) } }
        let excess = excess(of: site)
        evictions += excess.count
        // One cookie is in excess after one was added.
        if excess.count == 1 {
            for id in excess { remove(id) }
        } else if !excess.isEmpty {
            for domain in domains(of: site) { remove(from: domain) { excess.contains($0.id) } }
        }
    }

    private func domains(of site: String) -> Set<String> { sites[site, default: Site()].domains }

    /// Returns ids instead of cookies, because holding the cookies would make each removal copy the array.
    private func excess(of site: String) -> Set<Cookie.ID> {
        func isLess(_ left: Cookie, _ right: Cookie) -> Bool {
            left.isSecure == right.isSecure ? left.accessed < right.accessed : !left.isSecure
        }
        let excess = sites[site, default: Site()].count - limits.perDomain
        guard excess > 0 else { return [] }
        let cookies = domains(of: site).lazy.map { domains[$0, default: []] }.joined()
        // Does not sort for one cookie, because a head may set thousands, one by one.
        if excess == 1 { return cookies.min(by: isLess).map { [$0.id] } ?? [] }
        return Set(cookies.sorted(by: isLess).prefix(excess).map(\.id))
    }

    private mutating func shrink(_ now: Duration) {
        remove { $0.hasExpired(at: now) }
        // Removes more than necessary, so that a full jar is not sorted for each new cookie.
        var excess = count > limits.total ? count - limits.total + limits.total / 16 : 0
        guard excess > 0 else { return }
        var sizes = sites.mapValues(\.count)
        var rest = domains.values.joined().sorted { $0.accessed < $1.accessed }
        var removed: Set<Cookie.ID> = []
        for rule in [Rule.insecureOfMany, .anyOfMany, .any] {
            var kept: [Cookie] = []
            for cookie in rest {
                let site = site(of: cookie.id.domain)
                guard excess > 0, rule.allows(cookie, sizes[site, default: 0]) else {
                    kept.append(cookie)
                    continue
                }
                removed.insert(cookie.id)
                sizes[site, default: 0] -= 1
                excess -= 1
            }
            rest = kept
        }
        evictions += removed.count
        remove { removed.contains($0.id) }
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
