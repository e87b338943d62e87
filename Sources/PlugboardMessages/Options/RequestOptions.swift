/// How a request is sent. A property that is nil has the value of the kernel's configuration, or its default.
public struct RequestOptions: Sendable, Equatable {
    /// The version of the Internet Protocol.
    public enum IPVersion: String, Sendable, CaseIterable {
        /// Both, the first that connects (RFC 8305).
        case any
        /// IPv4 only.
        case v4
        /// IPv6 only.
        case v6
    }

    /// The version of HTTP that is asked for.
    public enum HTTPVersion: String, Sendable, CaseIterable {
        /// HTTP/2 if TLS negotiates it, else HTTP/1.1.
        case any
        /// HTTP/1.0, for servers that know nothing newer. A body must have a known length.
        case http10 = "1.0"
        /// HTTP/1.1 only.
        case http1 = "1.1"
        /// HTTP/2; without TLS by an upgrade of HTTP/1.1.
        case http2 = "2"
        /// HTTP/2 without TLS, without an upgrade.
        case http2PriorKnowledge = "2-prior-knowledge"
    }

    /// A version of TLS.
    public enum TLSVersion: String, Sendable, CaseIterable {
        /// TLS 1.2 (RFC 5246).
        case tls12 = "1.2"
        /// TLS 1.3 (RFC 8446).
        case tls13 = "1.3"
    }

    /// The options of TLS: trusted certificates, pins, and the client's certificate.
    public struct TLS: Sendable, Equatable {
        /// The path of a PEM file with the certificates to trust, instead of the system's.
        public var ca: String?
        /// The public keys that the server may have, each as `sha256//BASE64`. They are checked in addition to the
        /// certificate.
        public var pins: [String]?
        /// The path of a PEM file with the client's certificate.
        ///
        /// A request's own certificate is for the request's origin: it is dropped when the request is sent to another
        /// origin. The certificate of the kernel's configuration is presented to every server that asks for one.
        public var certificate: String?
        /// The path of a PEM file with the client's private key; nil if the file of the certificate has it too.
        public var key: String?
        /// The password of an encrypted private key. It is secret.
        public var keyPassword: String?
        /// Whether the server's certificate is verified. False accepts any certificate: for tests only.
        public var verify: Bool?
        /// The lowest version of TLS that is accepted; TLS 1.2 by default.
        public var minimum: TLSVersion?

        /// All nil.
        public init() {}
    }

    /// Limits of the speed of one exchange.
    public struct Speed: Sendable, Equatable {
        /// The most bytes that are received in a second; 0 for no limit.
        public var download: ByteCount?
        /// The most bytes that are sent in a second; 0 for no limit.
        public var upload: ByteCount?

        /// All nil.
        public init() {}
    }

    /// Name and password for a proxy.
    package struct ProxyUser: Sendable, Equatable, CustomReflectable, CustomStringConvertible {
        package let name, password: String

        package init(name: String, password: String) { (self.name, self.password) = (name, password) }

        package var description: String { "…" }
        package var customMirror: Mirror { Mirror(reflecting: description) }
    }

    /// The longest duration of the exchange, including redirects, retries and the response's body.
    public var timeout: Duration?
    /// The longest duration of name look-up, connection and TLS handshake of one attempt.
    public var connectTimeout: Duration?
    /// The longest time in which no byte is sent or received. Pauses for a slow reader do not count.
    public var idleTimeout: Duration?
    /// The longest duration of one attempt, including the response's body.
    public var attemptTimeout: Duration?

    /// Connects to another host and port; URL, `Host` and the TLS name stay: `["example.com:443": "127.0.0.1:8443"]`.
    ///
    /// In a key, `*` is any host or port; in a target, it is that of the URL.
    public var connectTo: [String: String]?
    /// The proxy's URL, such as `http://host:port` or `socks5://host:port`; empty for no proxy. Nil uses the
    /// environment variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
    public var proxy: String? {
        get { proxyURL?.text }
        set { proxyURL = newValue.map(ProxyURL.init) }
    }
    private var proxyURL: ProxyURL?
    /// The credentials for proxies whose URLs have none, also for those of the environment.
    package var proxyUser: ProxyUser?
    /// Hosts that bypass the proxy, separated by commas; `*` for all.
    public var noProxy: String?
    /// The name or address of the network interface to send from.
    public var interface: String?
    /// The path of a Unix domain socket to connect to, instead of the URL's host and port. URL, `Host` and the TLS name
    /// stay, and no proxy is used.
    public var unixSocket: String?
    /// The text in the request line instead of the URL's path and query, such as `*` (RFC 9112 §3.2). Only the
    /// request's own origin gets it; plugins still read the URL.
    public var target: String?
    /// The version of the Internet Protocol; any by default.
    public var ipVersion: IPVersion?
    /// The version of HTTP; any by default.
    public var httpVersion: HTTPVersion?

    /// Whether the response's body keeps the chunked coding (RFC 9112 §7.1), to show what a server has sent.
    package var keepsChunks: Bool?

    /// How the server and the program authenticate themselves.
    public var tls = TLS()
    /// How fast bodies are received and sent.
    public var speed = Speed()

    /// All nil.
    public init() {}

    /// The options for a request to another origin: without the timeout of the exchange, without `target`, without
    /// pins, and without the client's certificate.
    package var forOtherOrigins: RequestOptions {
        var options = self
        options.timeout = nil
        options.tls.pins = nil
        options.tls.certificate = nil
        options.tls.key = nil
        options.tls.keyPassword = nil
        options.target = nil
        return options
    }

    /// These options, with the values of `defaults` where they are nil.
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
        take(\.target)
        take(\.ipVersion)
        take(\.httpVersion)
        take(\.tls.ca)
        take(\.tls.pins)
        take(\.tls.certificate)
        take(\.tls.key)
        take(\.tls.keyPassword)
        take(\.tls.verify)
        take(\.tls.minimum)
        take(\.speed.download)
        take(\.speed.upload)
        merged.proxyUser = proxyUser ?? defaults.proxyUser
        merged.keepsChunks = keepsChunks ?? defaults.keepsChunks
        return merged
    }
}
