#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Scheme, host and port of a URL (RFC 6454 §4), in normal form: lower case, IPv6 addresses at their shortest.
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`.
    public let scheme: String
    /// IPv6 addresses stand in brackets.
    public let host: String
    public let port: Int

    /// - Parameter port: Nil for the scheme's own.
    public init?(scheme: some StringProtocol, host: some StringProtocol, port: Int? = nil) {
        let scheme = scheme.lowercased()
        guard let ownPort = Origin.ports[scheme], let host = Origin.normalizedHost(host),
            (1...65535).contains(port ?? ownPort)
        else { return nil }
        self.scheme = scheme
        self.host = host
        self.port = port ?? ownPort
    }

    /// Reads `scheme://host` or `scheme://host:port`, with nothing before, between or after.
    public init?(_ text: String) {
        guard let (scheme, authority) = Origin.split(text), let (host, port) = Origin.splitPort(authority),
            port != ""
        else { return nil }
        self.init(scheme, host, port)
    }

    /// The origin of an absolute URL; user, path, query and fragment are left out.
    public init?(url: String) {
        guard let (scheme, rest) = Origin.split(url) else { return nil }
        // Bytes, here and below, because a combining mark would make one character of itself and the delimiter before it.
        let authority = rest.utf8.prefix { !"/?#".utf8.contains($0) }
        let user = authority.lastIndex(of: UInt8(ascii: "@"))
        let place = user.map { authority[authority.index(after: $0)...] } ?? authority
        guard let (host, port) = Origin.splitPort(Substring(place)) else { return nil }
        // RFC 3986 §3.2.3: an empty port is the scheme's own.
        self.init(scheme, host, port == "" ? nil : port)
    }

    private init?(_ scheme: Substring, _ host: Substring, _ port: Substring?) {
        guard let port else {
            self.init(scheme: scheme, host: host)
            return
        }
        guard let number = Origin.port(port) else { return nil }
        self.init(scheme: scheme, host: host, port: number)
    }

    /// Without the port where it is the scheme's own.
    public var description: String {
        "\(scheme)://\(host)\(Origin.ports[scheme] == port ? "" : ":\(port)")"
    }

    private static let ports = ["http": 80, "https": 443]

    private static func split(_ text: String) -> (Substring, Substring)? {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            return nil
        }
        return (Substring(bytes[..<colon]), Substring(bytes[colon...].dropFirst(3)))
    }

    /// Host and port, the port nil where there is no colon for it.
    package static func splitPort(_ authority: Substring) -> (Substring, Substring?)? {
        let bytes = authority.utf8
        let bracket = bytes.lastIndex(of: UInt8(ascii: "]")) ?? bytes.startIndex
        guard let colon = bytes[bracket...].lastIndex(of: UInt8(ascii: ":")) else { return (authority, nil) }
        return (Substring(bytes[..<colon]), Substring(bytes[bytes.index(after: colon)...]))
    }

    /// One to five digits that make a port a connection can go to.
    package static func port(_ text: Substring) -> Int? {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(text), (1...65535).contains(number)
        else { return nil }
        return number
    }

    /// A name or an address in normal form; nil for what is neither. Names beyond ASCII are to be written in Punycode.
    package static func normalizedHost(_ text: some StringProtocol) -> String? {
        if text.hasPrefix("["), text.hasSuffix("]") { return normalizedAddress(String(text.dropFirst().dropLast())) }
        guard (1...255).contains(text.utf8.count), text.utf8.allSatisfy(isHostByte) else { return nil }
        return text.lowercased()
    }

    private static func normalizedAddress(_ text: String) -> String? {
        var address = in6_addr()
        var shortest = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard !text.utf8.contains(0), inet_pton(AF_INET6, text, &address) == 1,
            inet_ntop(AF_INET6, &address, &shortest, socklen_t(shortest.count)) != nil
        else { return nil }
        return "[\(String(decoding: shortest.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))]"
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
