import ArgumentParser
import Plugboard

/// The flags for the version of the Internet Protocol. Of several, the last one counts.
enum IPVersionFlag: String, EnumerableFlag {
    case v4, v6

    static func name(for flag: IPVersionFlag) -> NameSpecification {
        [.customShort(flag == .v4 ? "4" : "6"), .customLong("ip\(flag.rawValue)")]
    }

    static func help(for flag: IPVersionFlag) -> ArgumentHelp? { flag == .v4 ? "Uses IPv4 only." : "Uses IPv6 only." }

    var version: RequestOptions.IPVersion { self == .v4 ? .v4 : .v6 }
}

/// The flags for the version of HTTP. Of several, the last one counts.
enum HTTPVersionFlag: EnumerableFlag {
    case http10, http11, http2, http2PriorKnowledge

    static func name(for flag: HTTPVersionFlag) -> NameSpecification {
        let long = NameSpecification.Element.customLong("http\(flag.version.rawValue)")
        return flag == .http10 ? [.customShort("0"), long] : [long]
    }

    static func help(for flag: HTTPVersionFlag) -> ArgumentHelp? {
        switch flag {
        case .http10: "Uses HTTP/1.0."
        case .http11: "Uses HTTP/1.1."
        case .http2: "Uses HTTP/2: with TLS if the server can, without TLS by an upgrade."
        case .http2PriorKnowledge: "Uses HTTP/2 without TLS and without an upgrade."
        }
    }

    var version: RequestOptions.HTTPVersion {
        switch self {
        case .http10: .http10
        case .http11: .http1
        case .http2: .http2
        case .http2PriorKnowledge: .http2PriorKnowledge
        }
    }
}

/// The flags for the lowest version of TLS. Of several, the last one counts.
enum TLSVersionFlag: EnumerableFlag {
    case tls12, tls13

    static func name(for flag: TLSVersionFlag) -> NameSpecification { .customLong("tlsv\(flag.version.rawValue)") }

    static func help(for flag: TLSVersionFlag) -> ArgumentHelp? { "Uses TLS \(flag.version.rawValue) or newer." }

    var version: RequestOptions.TLSVersion { self == .tls12 ? .tls12 : .tls13 }
}
