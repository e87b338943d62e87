import ArgumentParser
import Plugboard

/// The flags for the versions of the Internet Protocol, of HTTP and of TLS. Of several of a kind, the last one counts.
enum VersionFlag: String, EnumerableFlag, CustomStringConvertible {
    case ipv4, ipv6
    case http10 = "http1.0"
    case http11 = "http1.1"
    case http2
    case http2PriorKnowledge = "http2-prior-knowledge"
    case tls12 = "tlsv1.2"
    case tls13 = "tlsv1.3"

    var description: String { rawValue }

    static func name(for flag: VersionFlag) -> NameSpecification {
        let letter: Character? =
            switch flag {
            case .ipv4: "4"
            case .ipv6: "6"
            case .http10: "0"
            default: nil
            }
        let long = NameSpecification.Element.customLong(flag.rawValue)
        return letter.map { [.customShort($0), long] } ?? [long]
    }

    static func help(for flag: VersionFlag) -> ArgumentHelp? {
        switch flag {
        case .ipv4: "Uses IPv4 only."
        case .ipv6: "Uses IPv6 only."
        case .http10: "Uses HTTP/1.0."
        case .http11: "Uses HTTP/1.1."
        case .http2: "Uses HTTP/2: with TLS if the server can, without TLS by an upgrade."
        case .http2PriorKnowledge: "Uses HTTP/2 without TLS and without an upgrade."
        case .tls12: "Uses TLS 1.2 or newer."
        case .tls13: "Uses TLS 1.3 or newer."
        }
    }

    func apply(to options: inout RequestOptions) {
        switch self {
        case .ipv4: options.ipVersion = .v4
        case .ipv6: options.ipVersion = .v6
        case .http10: options.httpVersion = .http10
        case .http11: options.httpVersion = .http1
        case .http2: options.httpVersion = .http2
        case .http2PriorKnowledge: options.httpVersion = .http2PriorKnowledge
        case .tls12: options.tls.minimum = .tls12
        case .tls13: options.tls.minimum = .tls13
        }
    }
}
