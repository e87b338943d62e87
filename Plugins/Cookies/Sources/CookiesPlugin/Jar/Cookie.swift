import PlugboardKit

/// A cookie as a jar keeps it (RFC 6265bis §5.7).
struct Cookie: Equatable, Sendable {
    /// What two cookies cannot share.
    struct ID: Hashable, Sendable {
        /// In lower case, without a leading dot.
        var domain: String
        /// Only for this host, and not for those beneath it.
        var isHostOnly: Bool
        var path: [UInt8]
        var name: [UInt8]
    }

    var id: ID
    var value: [UInt8]
    /// Since 1970; nil for a cookie of this session.
    var expires: Duration?
    var isSecure = false
    var isHTTPOnly = false
    var sameSite = SameSite.unset
    /// The jar's count of events when it was made, and when it was last sent or set: an order that no clock can upset.
    var created: Int64 = 0
    var accessed: Int64 = 0

    func hasExpired(at now: Duration) -> Bool { expires.map { $0 <= now } ?? false }

    /// RFC 6265bis §5.5: no cookie lives longer from now on.
    static let longestLife = Duration.seconds(400 * 86_400)
}

extension Cookie {
    /// What §5.7 steps 2 to 22 make of a field that came from a place; the rest of the steps needs the jar.
    init(
        _ field: SetCookie, from place: RequestURI, now: Duration, suffixes: PublicSuffixes
    ) throws(Refusal) {
        guard !field.name.isEmpty || !field.value.isEmpty else { throw .empty }
        guard !field.name.contains(where: SetCookie.isControl), !field.value.contains(where: SetCookie.isControl) else {
            throw .controlCharacter
        }
        guard field.name.count + field.value.count <= SetCookie.pairLimit else { throw .tooLong }
        let domain = try Cookie.domain(field.domain ?? [], for: place.host, suffixes)
        let path = field.path.flatMap { $0.isEmpty ? nil : $0 } ?? place.defaultPath
        id = ID(domain: domain ?? place.host, isHostOnly: domain == nil, path: path, name: field.name)
        value = field.value
        expires = Cookie.expiry(of: field, now)
        isSecure = field.isSecure
        isHTTPOnly = field.isHTTPOnly
        sameSite = field.sameSite
        guard !isSecure || place.isSecure else { throw .insecureConnection }
        guard sameSite != .none || isSecure else { throw .sameSiteNone }
        guard keepsPromise(hasPath: field.path != nil) else { throw .prefix }
    }

    /// Steps 7 to 10; nil for a cookie of the host alone.
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

    /// Step 6: `Max-Age` beats `Expires`, and neither reaches beyond the longest life.
    private static func expiry(of field: SetCookie, _ now: Duration) -> Duration? {
        let limit = now + longestLife
        if let age = field.maxAge {
            return age <= 0 ? .zero : now + min(.seconds(age), longestLife)
        }
        return field.expires.map { min(.seconds($0), limit) }
    }

    /// Steps 20 to 22: names that begin so stand for what the server asked for, so that nobody else can set them.
    private func keepsPromise(hasPath: Bool) -> Bool {
        // Sent without its name, such a value would look like a name to the server.
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
    /// Compares without regard to ASCII case; the prefix is given in lower case.
    fileprivate func begins(with prefix: StaticString) -> Bool {
        guard count >= prefix.utf8CodeUnitCount else { return false }
        return zip(self, UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount))
            .allSatisfy { lowercased($0) == $1 }
    }
}
