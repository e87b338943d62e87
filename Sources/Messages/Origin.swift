/// Scheme, host and port of a URL (RFC 6454 §4), in normal form.
///
/// Scheme and host are in lower case, the host without the dot that may end it. IPv4 addresses in any spelling that
/// `inet_aton` reads (`0x7f.1`) are four decimal numbers, IPv6 addresses are at their shortest. A host beyond ASCII is
/// refused: it must be written as `xn--…` (RFC 5890 §2.3.2.1).
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`.
    public let scheme: String
    /// IPv6 addresses stand in brackets.
    public let host: String
    public let port: Int

    /// - Parameter port: Nil for the scheme's own.
    public init?(scheme: some StringProtocol, host: some StringProtocol, port: Int? = nil) {
        let scheme = scheme.lowercased()
        guard let ownPort = Origin.ownPort(of: scheme), let host = Origin.normalizedHost(host),
            (1...65535).contains(port ?? ownPort)
        else { return nil }
        self.scheme = scheme
        self.host = host
        self.port = port ?? ownPort
    }

    /// Reads `scheme://host` or `scheme://host:port`, with nothing before, between or after.
    public init?(_ text: String) {
        guard let parts = URLParts(text), parts.path.isEmpty, parts.query == nil, parts.fragment == nil,
            parts.userinfo == nil, parts.hostAndPort?.utf8.last != UInt8(ascii: ":")
        else { return nil }
        self.init(parts)
    }

    /// The origin of an absolute URL; user, path, query and fragment are left out.
    public init?(url: String) {
        guard let parts = URLParts(url) else { return nil }
        self.init(parts)
    }

    /// The origin of an absolute URL.
    public init?(_ parts: URLParts) {
        guard let scheme = parts.httpScheme, let place = parts.hostAndPort, let (host, port) = Origin.splitPort(place) else {
            return nil
        }
        // RFC 3986 §3.2.3: an empty port is the scheme's own.
        guard let port, !port.isEmpty else {
            self.init(scheme: scheme, host: host)
            return
        }
        guard let number = Origin.port(port) else { return nil }
        self.init(scheme: scheme, host: host, port: number)
    }

    /// Without the port where it is the scheme's own.
    public var description: String {
        "\(scheme)://\(host)\(Origin.ownPort(of: scheme) == port ? "" : ":\(port)")"
    }

    private static func ownPort(of scheme: String) -> Int? {
        switch scheme {
        case "http": 80
        case "https": 443
        default: nil
        }
    }

    /// Host and port, the port nil where there is no colon for it.
    package static func splitPort(_ authority: Substring) -> (Substring, Substring?)? {
        let bytes = authority.utf8
        let bracket = bytes.lastIndex(of: UInt8(ascii: "]")) ?? bytes.startIndex
        guard let colon = bytes[bracket...].lastIndex(of: UInt8(ascii: ":")) else { return (authority, nil) }
        return (Substring(bytes[..<colon]), Substring(bytes[bytes.index(after: colon)...]))
    }

    /// Digits that make a port a connection can go to.
    package static func port(_ text: Substring) -> Int? {
        var number = 0
        for byte in text.utf8 {
            guard (0x30...0x39).contains(byte) else { return nil }
            number = min(number * 10 + Int(byte - 0x30), 65_536)
        }
        return (1...65_535).contains(number) ? number : nil
    }
}
