import PlugboardKit

/// A cookie as a jar stores it (RFC 6265bis §5.7).
struct Cookie: Equatable, Sendable {
    /// The identity of a cookie: no two cookies of a jar share it.
    struct ID: Hashable, Sendable {
        /// The domain in lower case, without a leading dot.
        var domain: String
        /// Whether the cookie is for this host only, and not for its subdomains.
        var isHostOnly: Bool
        var path: [UInt8]
        var name: [UInt8]
    }

    var id: ID
    var value: [UInt8]
    /// Time since 1970; nil for a cookie of this session.
    var expires: Duration?
    var isSecure = false
    var isHTTPOnly = false
    var sameSite = SameSite.unset
    /// The jar's event count when the cookie was created, and when it was last sent or set. This order does not depend
    /// on a clock.
    var created: Int64 = 0
    var accessed: Int64 = 0

    func hasExpired(at now: Duration) -> Bool { expires.map { $0 <= now } ?? false }

    /// RFC 6265bis §5.5: the longest lifetime of a cookie from when it is set.
    static let longestLife = Duration.seconds(400 * 86_400)
}

extension Cookie {
    /// Applies §5.7 steps 2 to 22 to a field of a response from `uri`; the remaining steps need the jar.
    init(
        _ field: SetCookie, from uri: RequestURI, now: Duration, suffixes: PublicSuffixes
    ) throws(Refusal) {
        guard !field.name.isEmpty || !field.value.isEmpty else { throw .empty }
        guard !field.name.contains(where: SetCookie.isControl), !field.value.contains(where: SetCookie.isControl) else {
            throw .controlCharacter
        }
        guard field.name.count + field.value.count <= SetCookie.pairLimit else { throw .tooLong }
        let domain = try Cookie.domain(field.domain ?? [], for: uri.host, suffixes)
        let path = field.path.flatMap { $0.isEmpty ? nil : $0 } ?? uri.defaultPath
        id = ID(domain: domain ?? uri.host, isHostOnly: domain == nil, path: path, name: field.name)
        value = field.value
        expires = Cookie.expiry(of: field, now)
        isSecure = field.isSecure
        isHTTPOnly = field.isHTTPOnly
        sameSite = field.sameSite
        guard !isSecure || uri.isSecure else { throw .insecureConnection }
        guard sameSite != .none || isSecure else { throw .sameSiteNone }
        guard satisfiesPrefix(hasPath: field.path != nil) else { throw .prefix }
    }

    /// Steps 7 to 10; nil for a host-only cookie.
    private static func domain(
        _ attribute: [UInt8], for host: String, _ suffixes: PublicSuffixes
    ) throws(Refusal) -> String? {
        guard attribute.allSatisfy({ $0 < 0x80 }) else { throw .domainNotASCII }
        let domain = String(decoding: attribute, as: UTF8.self)
        if domain.isEmpty { return nil }
        if suffixes.contains(domain) {
            guard domain == host else { throw .publicSuffix }
            return nil
        }
        guard HostName.matches(host, domain: domain) else { throw .foreignDomain }
        return domain
    }

    /// Step 6: `Max-Age` takes precedence over `Expires`, and neither exceeds the longest lifetime.
    private static func expiry(of field: SetCookie, _ now: Duration) -> Duration? {
        let limit = now + longestLife
        if let age = field.maxAge {
            return age <= 0 ? .zero : now + min(.seconds(age), longestLife)
        }
        return field.expires.map { min(.seconds($0), limit) }
    }

    /// Steps 20 to 22: whether the cookie has the attributes that the prefix of its name requires.
    private func satisfiesPrefix(hasPath: Bool) -> Bool {
        // A nameless cookie is sent as its value, so the server would see such a value as a name with a prefix.
        if id.name.isEmpty { return !["__secure-", "__host-", "__http-"].contains { value.begins(with: $0) } }
        if id.name.begins(with: "__host-") {
            let isWhole = isSecure && id.isHostOnly && hasPath && id.path == [UInt8(ascii: "/")]
            return isWhole && (isHTTPOnly || !id.name.begins(with: "__host-http-"))
        }
        if id.name.begins(with: "__http-") { return isSecure && isHTTPOnly }
        return isSecure || !id.name.begins(with: "__secure-")
    }
}

extension [UInt8] {
    /// Compares without regard to ASCII case; the prefix is in lower case.
    fileprivate func begins(with prefix: StaticString) -> Bool {
        guard count >= prefix.utf8CodeUnitCount else { return false }
        return zip(self, UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount))
            .allSatisfy { lowercaseASCII($0) == $1 }
    }
}
