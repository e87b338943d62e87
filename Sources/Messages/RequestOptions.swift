/// How requests are sent: of one request, or as the kernel's defaults. Nil leaves it to the next layer.
public struct RequestOptions: Sendable, Equatable {
    public enum IPVersion: String, Sendable, CaseIterable { case any, v4, v6 }
    public enum HTTPVersion: String, Sendable, CaseIterable {
        /// HTTP/1.1, and HTTP/2 where TLS negotiates it.
        case any
        case http1 = "1.1"
        /// HTTP/2 over TLS; without TLS by upgrade.
        case http2 = "2"
        /// HTTP/2 without TLS and without asking.
        case http2PriorKnowledge = "2-prior-knowledge"
    }
    public enum TLSVersion: String, Sendable, CaseIterable {
        case tls12 = "1.2"
        case tls13 = "1.3"
    }

    /// The whole exchange, redirects, retries and the body's end included.
    public var timeout: Duration?
    /// Name look-up, connection and TLS of one attempt.
    public var connectTimeout: Duration?
    /// The longest time without a byte in either direction while one is awaited. A pause for a slow reader does not count.
    public var idleTimeout: Duration?
    /// One attempt, its body included.
    public var attemptTimeout: Duration?

    /// Where to connect, without a change of URL, `Host` or TLS name: `"host:port": "address:port"`.
    public var connectTo: [String: String]?
    /// `http://host:port`, `https://…`, `socks5://…`; `""` for none. Without it, `http_proxy` and its kin are obeyed.
    public var proxy: String? {
        get { proxyURL?.text }
        set { proxyURL = newValue.map(ProxyURL.init) }
    }
    private var proxyURL: ProxyURL?
    /// Hosts that the proxy is not for, with commas; `*` for all.
    public var noProxy: String?
    /// The name or address of the network interface to send from.
    public var interface: String?
    /// The path of a Unix domain socket to connect to instead of the URL's host and port, without a change of URL, `Host` or TLS
    /// name; no proxy is used then.
    public var unixSocket: String?
    public var ipVersion: IPVersion?
    public var httpVersion: HTTPVersion?

    /// A PEM file with the only certificates that are trusted.
    public var caFile: String?
    /// Public keys that a server may have, `sha256//BASE64`, with `;` between them. Checked beside the certificate.
    public var pins: String?
    /// A PEM file with the client's certificate, and one with its key unless that stands in the same file.
    public var clientCertificate: String?
    public var clientKey: String?
    /// False accepts any certificate: for tests only.
    public var verifiesTLS: Bool?
    public var minimumTLS: TLSVersion?

    /// Bytes a second; 0 for no limit.
    public var downloadSpeedLimit: Int?
    public var uploadSpeedLimit: Int?

    public init() {}

    /// What a request to another origin may have of these: neither who the caller is, nor whom it expects; and no time limit of an exchange.
    package var forOtherOrigins: RequestOptions {
        var options = self
        options.timeout = nil
        options.pins = nil
        options.clientCertificate = nil
        options.clientKey = nil
        return options
    }

    /// These options, and for what they leave open, the others'.
    public func over(_ defaults: RequestOptions) -> RequestOptions {
        var merged = RequestOptions()
        func take<Value>(_ option: WritableKeyPath<RequestOptions, Value?>) {
            merged[keyPath: option] = self[keyPath: option] ?? defaults[keyPath: option]
        }
        take(\.timeout)
        take(\.connectTimeout)
        take(\.idleTimeout)
        take(\.attemptTimeout)
        take(\.connectTo)
        take(\.proxy)
        take(\.noProxy)
        take(\.interface)
        take(\.unixSocket)
        take(\.ipVersion)
        take(\.httpVersion)
        take(\.caFile)
        take(\.pins)
        take(\.clientCertificate)
        take(\.clientKey)
        take(\.verifiesTLS)
        take(\.minimumTLS)
        take(\.downloadSpeedLimit)
        take(\.uploadSpeedLimit)
        return merged
    }
}
