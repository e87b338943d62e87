/// Scheme, host and port of a URL (RFC 6454 §4), in normal form.
///
/// Scheme and host are in lower case, the host without a dot at its end. An IPv4 address in any spelling that
/// `inet_aton` reads (`0x7f.1`) becomes four decimal numbers, an IPv6 address its shortest spelling. A host that is not
/// ASCII is refused: it must be written as `xn--…` (RFC 5890 §2.3.2.1).
///
///     configuration.origins["https://api.example.com"] = ["retry.attempts": "5"]
public struct Origin: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// `http` or `https`.
    public let scheme: String
    /// The host in normal form; an IPv6 address has its brackets.
    public let host: String
    /// The port, from 1 to 65535; the scheme's own if the URL has none.
    public let port: Int

    /// Nil if the scheme is neither http nor https, or if host or port is not valid.
    ///
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

    /// The origin that a text consists of: `scheme://host` or `scheme://host:port`. Nil for any other text.
    public init?(_ text: String) {
        guard let parts = URLParts(text), parts.pathStart == parts.text.endIndex, parts.userinfo == nil,
            parts.port?.isEmpty != true
        else { return nil }
        self.init(parts)
    }

    /// The origin of a literal, `"https://api.example.com"`. A literal that is not an origin ends the program.
    public init(stringLiteral text: String) {
        guard let origin = Origin(text) else {
            // A literal is a part of the program, and cannot be input: its first run finds the mistake.
            preconditionFailure(
                "\"\(Printable.text(text))\" is not an origin. Write scheme://host or scheme://host:port, with http or "
                    + "https, and with nothing after it.")
        }
        self = origin
    }

    /// The origin of an absolute URL; user, path, query and fragment are ignored. Nil if it has none.
    public init?(url: String) {
        guard let parts = URLParts(url) else { return nil }
        self.init(parts)
    }

    /// The origin of an absolute URL. Nil if it has none.
    public init?(_ parts: URLParts) {
        guard let scheme = parts.httpScheme else { return nil }
        self.init(scheme: scheme, authorityOf: parts)
    }

    /// The origin of an authority under a scheme, which is `http` or `https`.
    init?(scheme: String, authorityOf parts: URLParts) {
        guard let host = parts.withHost(Origin.normalizedHost) ?? nil, let ownPort = Origin.ownPort(of: scheme),
            // RFC 3986 §3.2.3: an empty port is the scheme's own.
            let port = parts.withPort({ $0.isEmpty ? ownPort : Origin.port($0) }) ?? ownPort
        else { return nil }
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// `scheme://host`, and `:port` if it is not the scheme's own.
    public var description: String { "\(scheme)://\(host)\(hasOwnPort ? "" : ":\(port)")" }

    /// Whether the port is the one that the scheme has by default.
    var hasOwnPort: Bool { Origin.ownPort(of: scheme) == port }

    private static func ownPort(of scheme: String) -> Int? {
        switch scheme {
        case "http": 80
        case "https": 443
        default: nil
        }
    }

    /// A number from 1 to 65535 in decimal digits; nil for any other text.
    static func port(_ text: some Sequence<UInt8>) -> Int? {
        var number = 0
        for byte in text {
            guard (0x30...0x39).contains(byte) else { return nil }
            number = min(number * 10 + Int(byte - 0x30), 65_536)
        }
        return (1...65_535).contains(number) ? number : nil
    }
}
