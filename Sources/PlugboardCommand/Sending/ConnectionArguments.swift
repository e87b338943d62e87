import ArgumentParser
import Plugboard
import PlugboardKit
import PlugboardSystem

/// The options of the connection; the configuration decides about those that are left out.
struct ConnectionArguments: ParsableArguments {
    @Option(
        name: [.long, .customShort("m"), .customLong("max-time")],
        help: ArgumentHelp("The time limit for the whole exchange.", valueName: "30s"))
    var timeout: String?
    @Option(help: ArgumentHelp("The time limit for making a connection.", valueName: "10s"))
    var connectTimeout: String?
    @Option(
        name: [.customLong("cacert"), .long],
        help: ArgumentHelp(
            "A PEM file; no other certificates are trusted. Else CURL_CA_BUNDLE or SSL_CERT_FILE can name one.",
            valueName: "file"), completion: .file())
    var caFile: String?
    @Flag(name: [.customShort("k"), .long], help: "Accepts any certificate: for tests only.")
    var insecure = false
    @Option(
        name: [.customShort("x"), .long],
        help: ArgumentHelp(
            "The proxy: http://host:port, socks5://host:port, host:port (http), or '' for none at all.",
            valueName: "url"))
    var proxy: String?
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Connects to another host and port; the URL, Host and the TLS name stay.", valueName: "host:port:host:port")
    )
    var connectTo: [String] = []
    @Option(
        help: ArgumentHelp(
            "Connects to a Unix domain socket; the URL, Host and the TLS name stay, and no proxy is used.",
            valueName: "path"), completion: .file())
    var unixSocket: String?
    @Option(help: ArgumentHelp("Hosts that bypass the proxy, separated by commas.", valueName: "hosts"))
    var noproxy: String?
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Connects to this address; DNS is not asked.", valueName: "host:port:address"))
    var resolve: [String] = []
    @Option(help: ArgumentHelp("Sends from this network interface, address or host.", valueName: "name"))
    var interface: String?
    @Flag(name: [.customShort("4"), .long], help: "Uses IPv4 only.") var ipv4 = false
    @Flag(name: [.customShort("6"), .long], help: "Uses IPv6 only.") var ipv6 = false
    @Flag(help: "Uses HTTP/2: with TLS if the server can, without TLS by an upgrade.")
    var http2 = false
    @Flag(name: [.customShort("0"), .customLong("http1.0")], help: "Uses HTTP/1.0.") var http10 = false
    @Flag(name: .customLong("http1.1"), help: "Uses HTTP/1.1.") var http11 = false
    @Flag(name: .customLong("http2-prior-knowledge"), help: "Uses HTTP/2 without TLS and without an upgrade.")
    var http2PriorKnowledge = false
    @Flag(name: .customLong("tlsv1.2"), help: "Uses TLS 1.2 or newer.") var tls12 = false
    @Flag(name: .customLong("tlsv1.3"), help: "Uses TLS 1.3 or newer.") var tls13 = false
    @Option(
        name: [.customShort("E"), .long],
        help: ArgumentHelp(
            "The client's certificate, PEM; the password of its key can follow.", valueName: "file[:password]"),
        completion: .file())
    var cert: String?
    @Option(help: ArgumentHelp("The password of the client's key.", valueName: "password")) var pass: String?
    @Option(
        name: [.long, .customLong("key-type")],
        help: ArgumentHelp("The form of certificate and key, which is always PEM.", valueName: "PEM"))
    var certType: String?
    @Option(
        help: ArgumentHelp("The key of that certificate, PEM; else that of --cert.", valueName: "file"),
        completion: .file())
    var key: String?
    @Option(
        help: ArgumentHelp("Asks for this instead of the URL's path and query, as in OPTIONS *.", valueName: "target"))
    var requestTarget: String?
    @Option(
        name: .customLong("pinnedpubkey"),
        help: ArgumentHelp("The public keys that the server may have.", valueName: "sha256//BASE64;…"))
    var pins: String?

    /// - Parameter definition: What a definition says, which the command line replaces.
    func options(over definition: RequestOptions = RequestOptions()) throws(CommandFailure) -> RequestOptions {
        var options = definition
        if let timeout = try Duration.limit(timeout, "--timeout") { options.timeout = timeout }
        if let timeout = try Duration.limit(connectTimeout, "--connect-timeout") { options.connectTimeout = timeout }
        if let caFile {
            // Read here, so that the error names the option.
            try ConnectionArguments.checkCertificates(in: caFile, for: "--cacert")
            options.tls.ca = caFile
        }
        if insecure { options.tls.verify = false }
        // As in the environment's variables, and as for curl.
        if let proxy { options.proxy = proxy.isEmpty || proxy.contains("://") ? proxy : "http://\(proxy)" }
        if let unixSocket { options.unixSocket = unixSocket }
        if let noproxy { options.noProxy = noproxy }
        if let interface { options.interface = interface }
        if ipv4 || ipv6 { options.ipVersion = ipv4 && ipv6 ? .any : ipv4 ? .v4 : .v6 }
        if let requestTarget { options.target = requestTarget }
        if http10 { options.httpVersion = .http10 }
        if http11 { options.httpVersion = .http1 }
        if http2 { options.httpVersion = .http2 }
        if http2PriorKnowledge { options.httpVersion = .http2PriorKnowledge }
        if tls12 { options.tls.minimum = .tls12 }
        if tls13 { options.tls.minimum = .tls13 }
        try applyCertificate(to: &options.tls)
        if let pins { options.tls.pins = pins.split(separator: ";").map(String.init) }
        if !(connectTo + resolve).isEmpty { options.connectTo = [:] }
        for text in resolve {
            let parts = ConnectionArguments.parts(text.hasPrefix("+") ? String(text.dropFirst()) : text)
            guard parts.count == 3, RequestOptions.isHostAndPort("\(parts[2]):\(parts[1])") else {
                throw CommandFailure(.usage, "--resolve must be HOST:PORT:ADDRESS.")
            }
            options.connectTo?["\(parts[0]):\(parts[1])"] = "\(parts[2]):\(parts[1])"
        }
        for text in connectTo {
            let parts = ConnectionArguments.parts(text)
            let pair = parts.count == 4 ? ["\(parts[0]):\(parts[1])", "\(parts[2]):\(parts[3])"] : []
            guard pair.count == 2, pair.allSatisfy(RequestOptions.isHostAndPort) else {
                throw CommandFailure(.usage, "--connect-to must be HOST:PORT:OTHER-HOST:OTHER-PORT.")
            }
            options.connectTo?[pair[0]] = pair[1]
        }
        return options
    }

    private func applyCertificate(to tls: inout RequestOptions.TLS) throws(CommandFailure) {
        if let certType, certType.uppercased() != "PEM" {
            throw CommandFailure(
                .usage,
                "Certificates and keys must be PEM: openssl x509 -inform DER -in FILE makes it of DER, and openssl pkcs12 -in "
                    + "FILE of PKCS #12.")
        }
        if let pass { tls.keyPassword = pass }
        guard let cert else { return }
        var file = cert
        // A colon can be part of the file's name.
        if let colon = cert.firstIndex(of: ":"), access(cert, F_OK) != 0 {
            file = String(cert[..<colon])
            tls.keyPassword = pass ?? String(cert[cert.index(after: colon)...])
        }
        (tls.certificate, tls.key) = (file, key ?? file)
    }

    /// Whether the command line decides which certificates are trusted.
    var decidesTrust: Bool { caFile != nil || insecure }

    /// Throws an error that names the option if the file holds no certificate.
    fileprivate static func checkCertificates(in file: String, for option: String) throws(CommandFailure) {
        _ = try FileContents.bytes(of: file, for: option)
        var options = RequestOptions()
        options.tls.ca = file
        if !options.errorsOfFiles.isEmpty {
            throw CommandFailure(.read, "\(option): \(file) holds no certificate in PEM form.")
        }
    }

    /// Splits at the colons outside of brackets, because IPv6 addresses contain colons.
    private static func parts(_ text: String) -> [String] {
        var parts = [""]
        var isInBrackets = false
        for character in text {
            if character == ":" && !isInBrackets {
                parts.append("")
                continue
            }
            if character == "[" { isInBrackets = true }
            if character == "]" { isInBrackets = false }
            parts[parts.count - 1].append(character)
        }
        return parts
    }
}

extension Configuration {
    /// Trusts the certificates of the file that the environment names, unless the configuration names one.
    mutating func trustEnvironment() throws(CommandFailure) {
        guard kernel.defaults.tls.ca == nil else { return }
        guard let (name, file) = Configuration.environmentTrust else { return }
        try ConnectionArguments.checkCertificates(in: file, for: name)
        kernel.defaults.tls.ca = file
    }

    /// The variable of the environment that names a file of certificates, and the file's absolute path.
    static var environmentTrust: (name: String, file: String)? {
        for name in ["CURL_CA_BUNDLE", "SSL_CERT_FILE"] {
            guard let value = environment(name), !value.isEmpty else { continue }
            return (name, PluginArguments.absolute(value))
        }
        return nil
    }
}

extension Duration {
    /// A time of the command line, of which a number without a unit is seconds; nil if the option is not given.
    static func argument(_ text: String?, _ option: String) throws(CommandFailure) -> Duration? {
        guard let text else { return nil }
        guard let duration = DurationText(text)?.duration ?? seconds(text), duration > .zero else {
            throw CommandFailure(.usage, "\(option) must be a time like 30s (ms, s, m, h, d), or seconds like 2.5.")
        }
        return duration
    }

    /// The same where 0 stands for no limit.
    static func limit(_ text: String?, _ option: String) throws(CommandFailure) -> Duration? {
        text.flatMap(Double.init) == 0 ? nil : try argument(text, option)
    }

    private static func seconds(_ text: String) -> Duration? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
            let seconds = Double(text), seconds < 1e9
        else { return nil }
        return .milliseconds(Int64((seconds * 1000).rounded(.up)))
    }
}
