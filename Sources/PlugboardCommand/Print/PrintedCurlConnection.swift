import Plugboard

/// The options of a request as options of curl.
struct PrintedCurlConnection {
    private(set) var options: [PrintedCurlOption] = []

    init(_ options: RequestOptions) {
        if let timeout = options.timeout ?? options.attemptTimeout { add("-m", PrintedCurl.seconds(timeout)) }
        if let timeout = options.connectTimeout { add("--connect-timeout", PrintedCurl.seconds(timeout)) }
        if let proxy = options.proxy {
            if proxy.isEmpty { add("--noproxy", "*") } else { add("-x", proxy, isURL: true) }
        }
        if let hosts = options.noProxy, options.proxy != "" { add("--noproxy", hosts) }
        for (host, other) in (options.connectTo ?? [:]).sorted(by: { $0.key < $1.key }) {
            // curl writes any host or port, and the URL's own, as an empty one.
            add("--connect-to", "\(host):\(other)".replacing("*", with: ""))
        }
        if let path = options.unixSocket { add("--unix-socket", path) }
        if let target = options.target { add("--request-target", target) }
        if let name = options.interface { add("--interface", name) }
        switch options.ipVersion {
        case .v4: add("-4")
        case .v6: add("-6")
        case .any, nil: break
        }
        switch options.httpVersion {
        case .http10: add("--http1.0")
        case .http1: add("--http1.1")
        case .http2: add("--http2")
        case .http2PriorKnowledge: add("--http2-prior-knowledge")
        case .any, nil: break
        }
        if let rate = options.speed.download ?? options.speed.upload { add("--limit-rate", "\(rate.bytes)") }
        addTLS(options.tls)
    }

    private mutating func addTLS(_ tls: RequestOptions.TLS) {
        if tls.verify == false { add("-k") }
        if let file = tls.ca { add("--cacert", file) }
        switch tls.minimum {
        case .tls12: add("--tlsv1.2")
        case .tls13: add("--tlsv1.3")
        case nil: break
        }
        if let file = tls.certificate { add("-E", file) }
        if let file = tls.key, file != tls.certificate { add("--key", file) }
        if let password = tls.keyPassword { add("--pass", password, isSecret: true) }
        if let pins = tls.pins, !pins.isEmpty { add("--pinnedpubkey", pins.joined(separator: ";")) }
    }

    private mutating func add(_ name: String, _ value: String? = nil, isSecret: Bool = false, isURL: Bool = false) {
        options.append(PrintedCurlOption(name: name, value: value, isSecret: isSecret, isURL: isURL))
    }
}

/// An option of curl with its value.
struct PrintedCurlOption {
    let name: String
    var value: String?
    /// Whether the value is hidden unless secrets are shown.
    var isSecret = false
    /// Whether the value is a URL, of which the user is hidden unless secrets are shown.
    var isURL = false
}
