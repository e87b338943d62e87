import PlugboardKit

/// All cookies of one name, and the rules of RFC 6265bis §5.7 and §5.8.3: a pure value, told the time.
///
/// Cookies stand under their domains, so that what a request gets is found by the names of its host alone, however
/// many others there are.
struct Jar: Sendable {
    /// How many cookies are kept.
    struct Limits: Equatable, Sendable {
        var perDomain = 180
        var total = 3000
        /// What a domain keeps while others have fewer, when the jar is full.
        static let fairShare = 50
    }

    let limits: Limits
    let suffixes: PublicSuffixes

    /// Never with an empty list.
    private(set) var domains: [String: [Cookie]] = [:]
    private(set) var count = 0
    private var secureCookies = SecureCookies()
    /// Counts what happens, so that there is an order whatever the clock does.
    private var events: Int64 = 0
    /// Cookies that went because there were too many.
    var evictions = 0
    /// Ids under which a file may hold something else than the jar does.
    var unsaved: Set<Cookie.ID> = []
    /// Persistent cookies that were sent since they were saved, which only the order of eviction shows.
    var touched: Set<Cookie.ID> = []

    init(limits: Limits = Limits(), suffixes: PublicSuffixes = .system) {
        self.limits = limits
        self.suffixes = suffixes
    }

    var isEmpty: Bool { count == 0 }

    /// All cookies, by domain and then in the order in which they would be sent.
    var cookies: [Cookie] {
        domains.keys.sorted().flatMap { domains[$0, default: []].sorted(by: Jar.isSentBefore) }
    }

    subscript(id: Cookie.ID) -> Cookie? {
        domains.index(forKey: id.domain).flatMap { found in
            Jar.index(of: id, in: domains.values[found]).map { domains.values[found][$0] }
        }
    }

    /// Names differ more often than all else.
    private static func index(of id: Cookie.ID, in cookies: [Cookie]) -> Int? {
        cookies.firstIndex { $0.id.name == id.name && $0.id == id }
    }

    // MARK: Receiving

    /// What came of one cookie.
    enum Reception: Equatable, Sendable {
        case stored
        /// It had expired already: there is none of its id now.
        case removed
    }

    /// Takes in what a `Set-Cookie` field says, or says why not.
    mutating func receive(
        _ field: SetCookie, from place: RequestURI, now: Duration
    ) throws(Refusal) -> Reception {
        let cookie = try Cookie(field, from: place, now: now, suffixes: suffixes)
        if !cookie.isSecure && !place.isSecure && hidesSecureCookie(cookie, now) { throw .hidesSecureCookie }
        return put(cookie, now: now)
    }

    /// Puts a cookie in place of the one with its id, if there is one. One that has expired removes it.
    @discardableResult
    mutating func put(_ cookie: Cookie, now: Duration) -> Reception {
        var cookie = cookie
        events += 1
        (cookie.created, cookie.accessed) = (events, events)
        // Step 23: the creation stays, and with it the order; one that has expired counts as gone.
        if let old = remove(cookie.id), !old.hasExpired(at: now) { cookie.created = old.created }
        guard !cookie.hasExpired(at: now) else { return .removed }
        insert(cookie)
        removeExcess(of: cookie.id.domain, now: now)
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

    /// What a request to a place carries (§5.8.3), as the value of a `Cookie` field; nil for nothing.
    mutating func field(for place: RequestURI, now: Duration) -> [UInt8]? {
        let cookies = takeCookies(for: place, now: now)
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

    /// The cookies for a place, in order; that they were sent is noted.
    private mutating func takeCookies(for place: RequestURI, now: Duration) -> [Cookie] {
        guard count > 0 else { return [] }
        var taken: [Cookie] = []
        var expired: [Cookie.ID] = []
        events += 1
        for name in [place.host] + HostName.parents(of: place.host) {
            guard let found = domains.index(forKey: name) else { continue }
            let isHost = name.utf8.count == place.host.utf8.count
            for index in domains.values[found].indices {
                let cookie = domains.values[found][index]
                guard isHost || !cookie.id.isHostOnly, place.isSecure || !cookie.isSecure,
                    RequestURI.path(place.path, matches: cookie.id.path)
                else { continue }
                if cookie.hasExpired(at: now) {
                    expired.append(cookie.id)
                } else {
                    domains.values[found][index].accessed = events
                    if cookie.expires != nil { touched.insert(cookie.id) }
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

    /// Adds a cookie whose id is not there yet.
    private mutating func insert(_ cookie: Cookie) {
        domains[cookie.id.domain, default: []].append(cookie)
        count += 1
        events = max(events, cookie.created, cookie.accessed)
        if cookie.isSecure { secureCookies.add(cookie.id) }
        if cookie.expires != nil { unsaved.insert(cookie.id) }
    }

    @discardableResult
    mutating func remove(_ id: Cookie.ID) -> Cookie? {
        guard let found = domains.index(forKey: id.domain),
            let index = Jar.index(of: id, in: domains.values[found])
        else { return nil }
        // Nobody relies on the order within a domain.
        let last = domains.values[found].count - 1
        domains.values[found].swapAt(index, last)
        let cookie = domains.values[found].removeLast()
        if last == 0 { domains.remove(at: found) }
        count -= 1
        if cookie.isSecure { secureCookies.remove(id) }
        if cookie.expires != nil { unsaved.insert(id) }
        touched.remove(id)
        return cookie
    }

    /// Puts a cookie as it is in place of the one with its id: its order is that of the file it comes from.
    mutating func replace(by cookie: Cookie) {
        remove(cookie.id)
        insert(cookie)
    }

    /// Removes the cookies that a test is true of, and says how many they were.
    @discardableResult
    mutating func remove(where isUnwanted: (Cookie) -> Bool) -> Int {
        let unwanted = domains.values.flatMap { $0.filter(isUnwanted).map(\.id) }
        for id in unwanted { remove(id) }
        return unwanted.count
    }
}
