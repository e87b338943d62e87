import PlugboardKit

/// The cookies of one jar, and the rules of RFC 6265bis §5.7 and §5.8.3; a pure value that gets the time as an
/// argument.
///
/// Cookies are grouped by domain, so that finding those of a request takes the same time however many other domains the
/// jar has.
struct Jar: Sendable {
    /// The most cookies that are kept.
    struct Limits: Equatable, Sendable {
        /// The most cookies of a registrable domain.
        var perDomain = 180
        var total = 3000
        /// The number of cookies that a registrable domain keeps in a full jar while others have more.
        static let fairShare = 50
    }

    /// The cookies of a registrable domain, or of a host without one.
    struct Site: Equatable, Sendable {
        var domains: Set<String> = []
        var count = 0
    }

    let limits: Limits
    /// Whether the file stores cookies of the session too.
    let keepsSession: Bool
    let suffixes: PublicSuffixes

    /// The cookies by domain, without empty lists.
    private(set) var domains: [String: [Cookie]] = [:]
    /// The domains that have cookies, and the number of these cookies, by registrable domain. The limits count by
    /// registrable domain, because a site can use any number of hosts.
    private(set) var sites: [String: Site] = [:]
    private var siteNames: [String: String] = [:]
    private(set) var count = 0
    private var secureCookies = SecureCookies()
    /// Counts events, for an order that does not depend on the clock.
    private var events: Int64 = 0
    /// The number of cookies removed because of the limits.
    var evictions = 0
    /// Ids whose cookies may differ between the jar and its file.
    var unsaved: Set<Cookie.ID> = []
    /// Persistent cookies that were sent since they were saved; this affects only the order of eviction.
    var touched: Set<Cookie.ID> = []

    init(limits: Limits = Limits(), keepsSession: Bool = false, suffixes: PublicSuffixes = .system) {
        self.limits = limits
        self.keepsSession = keepsSession
        self.suffixes = suffixes
    }

    var isEmpty: Bool { count == 0 }

    /// All cookies, by domain and then in the order of sending.
    var cookies: [Cookie] {
        domains.keys.sorted().flatMap { domains[$0, default: []].sorted(by: Jar.isSentBefore) }
    }

    subscript(id: Cookie.ID) -> Cookie? {
        domains.index(forKey: id.domain).flatMap { found in
            Jar.index(of: id, in: domains.values[found]).map { domains.values[found][$0] }
        }
    }

    /// Compares names first, because they differ most often.
    private static func index(of id: Cookie.ID, in cookies: [Cookie]) -> Int? {
        cookies.firstIndex { $0.id.name == id.name && $0.id == id }
    }

    // MARK: Receiving

    /// The effect of one cookie.
    enum Reception: Equatable, Sendable {
        case stored
        /// The cookie had expired already, and a stored cookie with its id was removed.
        case removed
    }

    /// Stores the cookie of a `Set-Cookie` field; throws the reason if it is refused.
    mutating func receive(
        _ field: SetCookie, from uri: RequestURI, now: Duration
    ) throws(Refusal) -> Reception {
        let cookie = try Cookie(field, from: uri, now: now, suffixes: suffixes)
        if !cookie.isSecure && !uri.isSecure && hidesSecureCookie(cookie, now) { throw .hidesSecureCookie }
        return put(cookie, now: now)
    }

    /// Stores a cookie, and replaces one with the same id. An expired cookie removes it.
    @discardableResult
    mutating func put(_ cookie: Cookie, now: Duration) -> Reception {
        var cookie = cookie
        events += 1
        (cookie.created, cookie.accessed) = (events, events)
        // Step 23: a cookie keeps the creation time of the one that it replaces, unless the old one had expired.
        if let old = remove(cookie.id), !old.hasExpired(at: now) { cookie.created = old.created }
        guard !cookie.hasExpired(at: now) else { return .removed }
        insert(cookie)
        removeExcess(of: site(of: cookie.id.domain), now: now)
        return .stored
    }

    /// §5.7 step 16: "leave secure cookies alone".
    private func hidesSecureCookie(_ cookie: Cookie, _ now: Duration) -> Bool {
        guard secureCookies.include(name: cookie.id.name) else { return false }
        func isHidden(_ other: Cookie) -> Bool {
            other.isSecure && other.id.name == cookie.id.name
                && RequestURI.path(cookie.id.path, matches: other.id.path) && !other.hasExpired(at: now)
        }
        let own = cookie.id.domain
        for domain in [own] + HostName.parents(of: own) where domains[domain]?.contains(where: isHidden) == true {
            return true
        }
        return secureCookies.domains(beneath: own, name: cookie.id.name).contains { domain in
            domains[domain]?.contains(where: isHidden) == true
        }
    }

    // MARK: Sending

    /// The value of the `Cookie` field for a request (§5.8.3); nil for none.
    mutating func field(for uri: RequestURI, now: Duration) -> [UInt8]? {
        let cookies = takeCookies(for: uri, now: now)
        guard !cookies.isEmpty else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(cookies.reduce(0) { $0 + $1.id.name.count + $1.value.count + 3 })
        for cookie in cookies {
            if !bytes.isEmpty { bytes += [UInt8(ascii: ";"), UInt8(ascii: " ")] }
            if !cookie.id.name.isEmpty {
                bytes += cookie.id.name
                bytes.append(UInt8(ascii: "="))
            }
            bytes += cookie.value
        }
        return bytes
    }

    /// The cookies for a request, in order; marks them as sent.
    private mutating func takeCookies(for uri: RequestURI, now: Duration) -> [Cookie] {
        guard count > 0 else { return [] }
        var taken: [Cookie] = []
        var expired: [Cookie.ID] = []
        events += 1
        for name in [uri.host] + HostName.parents(of: uri.host) {
            guard let found = domains.index(forKey: name) else { continue }
            let isHost = name.utf8.count == uri.host.utf8.count
            for index in domains.values[found].indices {
                let cookie = domains.values[found][index]
                guard isHost || !cookie.id.isHostOnly, uri.isSecure || !cookie.isSecure,
                    RequestURI.path(uri.path, matches: cookie.id.path)
                else { continue }
                if cookie.hasExpired(at: now) {
                    expired.append(cookie.id)
                } else {
                    domains.values[found][index].accessed = events
                    if isStored(cookie) { touched.insert(cookie.id) }
                    taken.append(cookie)
                }
            }
        }
        for id in expired { remove(id) }
        return taken.sorted(by: Jar.isSentBefore)
    }

    /// Longer paths first, then older cookies.
    private static func isSentBefore(_ left: Cookie, _ right: Cookie) -> Bool {
        let (leftLength, rightLength) = (left.id.path.count, right.id.path.count)
        return leftLength == rightLength ? left.created < right.created : leftLength > rightLength
    }

    // MARK: Changing

    /// Adds a cookie whose id is not in the jar.
    private mutating func insert(_ cookie: Cookie) {
        let domain = cookie.id.domain
        if domains[domain] == nil {
            let site = suffixes.registrableDomain(of: domain) ?? domain
            siteNames[domain] = site
            sites[site, default: Site()].domains.insert(domain)
        }
        sites[site(of: domain), default: Site()].count += 1
        domains[domain, default: []].append(cookie)
        count += 1
        events = max(events, cookie.created, cookie.accessed)
        if cookie.isSecure { secureCookies.add(cookie.id) }
        if isStored(cookie) { unsaved.insert(cookie.id) }
    }

    @discardableResult
    mutating func remove(_ id: Cookie.ID) -> Cookie? {
        guard let found = domains.index(forKey: id.domain),
            let index = Jar.index(of: id, in: domains.values[found])
        else { return nil }
        // The order within a domain has no meaning.
        let last = domains.values[found].count - 1
        domains.values[found].swapAt(index, last)
        let cookie = domains.values[found].removeLast()
        forget([cookie], of: id.domain)
        return cookie
    }

    /// Stores cookies unchanged: they keep the order of the file that they come from. Their ids are not in the jar.
    mutating func insert(_ cookies: [Cookie]) { for cookie in cookies { insert(cookie) } }

    /// Removes the cookies that match, and returns their number. Takes the same time however many match.
    @discardableResult
    mutating func remove(where isUnwanted: (Cookie) -> Bool) -> Int {
        let before = count
        for domain in Array(domains.keys) { remove(from: domain, where: isUnwanted) }
        return before - count
    }

    mutating func remove(from domain: String, where isUnwanted: (Cookie) -> Bool) {
        guard let found = domains.index(forKey: domain) else { return }
        var removed: [Cookie] = []
        domains.values[found].removeAll { cookie in
            guard isUnwanted(cookie) else { return false }
            removed.append(cookie)
            return true
        }
        forget(removed, of: domain)
    }

    /// Updates counts and indices after cookies were removed from the list of their domain.
    private mutating func forget(_ cookies: [Cookie], of domain: String) {
        guard !cookies.isEmpty else { return }
        let site = site(of: domain)
        count -= cookies.count
        sites[site]?.count -= cookies.count
        if domains[domain]?.isEmpty == true {
            domains[domain] = nil
            siteNames[domain] = nil
            sites[site]?.domains.remove(domain)
            if sites[site]?.domains.isEmpty == true { sites[site] = nil }
        }
        for cookie in cookies {
            if cookie.isSecure { secureCookies.remove(cookie.id) }
            if isStored(cookie) { unsaved.insert(cookie.id) }
            touched.remove(cookie.id)
        }
    }

    /// The registrable domain of a domain that has cookies.
    func site(of domain: String) -> String { siteNames[domain] ?? domain }
}
