import ArgumentParser
import Plugboard
import PlugboardKit
import PlugboardMessages
import PlugboardSystem

/// The options of the connection; the configuration decides about those that are left out.
struct ConnectionArguments: ParsableArguments {
    @Option(
        name: [.customShort("m"), .long], parsing: .unconditional,
        help: ArgumentHelp(
            "The time limit for the whole exchange; with --retry, for each attempt of it, as for curl.",
            valueName: "30s"))
    var maxTime: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The time limit for the exchange with all repetitions.", valueName: "30s"))
    var timeout: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("The time limit for making a connection.", valueName: "10s"))
    var connectTimeout: String?
    @Option(
        name: [.customLong("cacert"), .long], parsing: .unconditional,
        help: ArgumentHelp(
            "A PEM file; no other certificates are trusted. Else CURL_CA_BUNDLE or SSL_CERT_FILE can name one.",
            valueName: "file"), completion: .file())
    var caFile: String?
    @Flag(name: [.customShort("k"), .long], help: "Accepts any certificate: for tests only.") var insecure = false
    @Option(
        name: [.customShort("x"), .long], parsing: .unconditional,
        help: ArgumentHelp(
            "The proxy: http://host:port, socks5://host:port, host:port (http), or '' for none at all. --socks4, "
                + "--socks4a, --socks5 and --socks5-hostname take the host and port of a proxy that speaks SOCKS.",
            valueName: "url"))
    var proxy: String?
    @Option(
        name: [.customShort("U"), .long], parsing: .unconditional,
        help: ArgumentHelp(
            "Name and password for the proxy, also for that of the configuration or the environment, unless its URL has "
                + "others. A password that is left out is asked for.", valueName: "user:password"))
    var proxyUser: String?
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Connects to another host and port; the URL, Host and the TLS name stay. An empty host or port means any, and in "
                + "the second pair the URL's own.", valueName: "host:port:host:port"))
    var connectTo: [String] = []
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Connects to a Unix domain socket; the URL, Host and the TLS name stay, and no proxy is used.",
            valueName: "path"), completion: .file())
    var unixSocket: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Hosts that bypass the proxy, separated by commas.", valueName: "hosts"))
    var noproxy: String?
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Connects to this address; DNS is not asked. The host * is any; of several addresses the first is used.",
            valueName: "host:port:address"))
    var resolve: [String] = []
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Sends from this network interface, address or host.", valueName: "name"))
    var interface: String?
    @Flag var versions: [VersionFlag] = []
    @Option(
        name: [.customShort("E"), .long], parsing: .unconditional,
        help: ArgumentHelp(
            "The client's certificate, PEM; the password of its key can follow.", valueName: "file[:password]"),
        completion: .file())
    var cert: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("The password of the client's key.", valueName: "password"))
    var pass: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The format of the certificate; only PEM is supported.", valueName: "PEM"))
    var certType: String?
    @Option(
        parsing: .unconditional, help: ArgumentHelp("The format of the key; only PEM is supported.", valueName: "PEM"))
    var keyType: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The file of the key (PEM), by default that of --cert.", valueName: "file"),
        completion: .file())
    var key: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Asks for this instead of the URL's path and query, as in OPTIONS *.", valueName: "target"))
    var requestTarget: String?
    @Option(
        name: .customLong("pinnedpubkey"), parsing: .unconditional,
        help: ArgumentHelp("The public keys that the server may have.", valueName: "sha256//BASE64;…"))
    var pins: String?

    /// - Parameters:
    ///   - definition: What a definition says, which the command line replaces.
    ///   - isRepeated: Whether failed attempts are repeated.
    func options(
        over definition: RequestOptions = RequestOptions(), isRepeated: Bool = false
    ) throws(CommandFailure) -> RequestOptions {
        var options = definition
        if let limit = try Duration.limit(maxTime, "--max-time") {
            if isRepeated { options.attemptTimeout = limit } else { options.timeout = limit }
        }
        if let timeout = try Duration.limit(timeout, "--timeout") { options.timeout = timeout }
        if let timeout = try Duration.limit(connectTimeout, "--connect-timeout") { options.connectTimeout = timeout }
        if let caFile {
            // Read here, so that the error names the option.
            try ConnectionArguments.checkCertificates(in: caFile, for: "--cacert")
            options.tls.ca = caFile
        }
        if insecure { options.tls.verify = false }
        if let proxy { options.proxy = proxy.isEmpty || proxy.contains("://") ? proxy : "http://\(proxy)" }
        if let unixSocket { options.unixSocket = unixSocket }
        if let noproxy { options.noProxy = noproxy }
        if let interface { options.interface = interface }
        for version in versions { version.apply(to: &options) }
        if let requestTarget { options.target = requestTarget }
        try applyCertificate(to: &options.tls)
        if let pins { options.tls.pins = pins.split(separator: ";").map(String.init) }
        if !(connectTo + resolve).isEmpty { options.connectTo = [:] }
        for text in resolve { try addResolution(text, to: &options) }
        // As for curl, the first of several --connect-to counts, and --resolve gives its target an address.
        let resolved = options.connectTo ?? [:]
        for text in connectTo.reversed() { try addTarget(text, resolved, to: &options) }
        return options
    }

    /// Gives all requests the credentials of `--proxy-user`, also those of plugins. Blocks while it asks for a
    /// password.
    func addProxyUser(to configuration: inout Configuration) throws(CommandFailure) {
        guard let proxyUser else { return }
        let isInEnvironment = proxyVariables.contains { environment($0) ?? "" != "" }
        guard proxyUser.contains(":") || proxy ?? configuration.kernel.defaults.proxy ?? "" != "" || isInEnvironment
        else {
            throw CommandFailure(
                .usage, "There is no proxy for --proxy-user. For the field User-Agent, write -A TEXT.")
        }
        configuration.kernel.defaults.proxyUser = try RequestOptions.ProxyUser(proxyUser)
    }

    private func applyCertificate(to tls: inout RequestOptions.TLS) throws(CommandFailure) {
        if [certType, keyType].contains(where: { $0 != nil && $0?.uppercased() != "PEM" }) {
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

    /// Throws an error that names the option if the file is not a regular one, or holds no certificate.
    fileprivate static func checkCertificates(in file: String, for option: String) throws(CommandFailure) {
        do throws(CommandFailure) {
            // Its beginning, because a folder can be opened, but not read.
            try FileContents.read(file, named: "\(option): \(file)") { _ in false }
        } catch {
            throw CommandFailure(.trust, error.message)
        }
        // The kernel and libcurl read it again, and a pipe is empty then.
        guard FileContents.isRegular(file) else {
            throw CommandFailure(.trust, "\(option): \(file) must be a regular file: certificates are read twice.")
        }
        var options = RequestOptions()
        options.tls.ca = file
        if !options.errorsOfFiles.isEmpty {
            throw CommandFailure(.trust, "\(option): \(file) holds no certificate in PEM form.")
        }
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
