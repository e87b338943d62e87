import ArgumentParser
import Plugboard
import PlugboardKit

/// The options of the connection; the configuration decides about those that are left out.
struct ConnectionArguments: ParsableArguments {
    @Option(help: ArgumentHelp("The time limit for the whole exchange.", valueName: "30s"))
    var timeout: String?
    @Option(help: ArgumentHelp("The time limit for making a connection.", valueName: "10s"))
    var connectTimeout: String?
    @Option(
        name: [.customLong("cacert"), .long],
        help: ArgumentHelp("A PEM file; no other certificates are trusted.", valueName: "file"))
    var caFile: String?
    @Flag(name: [.customShort("k"), .long], help: "Accepts any certificate: for tests only.")
    var insecure = false
    @Option(
        name: [.customShort("x"), .long],
        help: ArgumentHelp("The proxy: http://host:port, socks5://host:port, or '' for none at all.", valueName: "url"))
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
            valueName: "path"))
    var unixSocket: String?
    @Flag(help: "Uses HTTP/2: with TLS if the server can, without TLS by an upgrade.")
    var http2 = false

    /// - Parameter definition: What a definition says, which the command line replaces.
    func options(over definition: RequestOptions = RequestOptions()) throws(CommandFailure) -> RequestOptions {
        var options = definition
        if let timeout = try Duration.argument(timeout, "--timeout") { options.timeout = timeout }
        if let timeout = try Duration.argument(connectTimeout, "--connect-timeout") { options.connectTimeout = timeout }
        if let caFile {
            // Read here, so that the error names the option.
            _ = try FileContents.bytes(of: caFile, for: "--cacert")
            options.tls.ca = caFile
            if !options.errorsOfFiles.isEmpty {
                throw CommandFailure(.read, "--cacert: \(caFile) holds no certificate in PEM form.")
            }
        }
        if insecure { options.tls.verify = false }
        if let proxy { options.proxy = proxy }
        if let unixSocket { options.unixSocket = unixSocket }
        if http2 { options.httpVersion = .http2 }
        if !connectTo.isEmpty { options.connectTo = [:] }
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

extension Duration {
    /// A time of the command line; nil if the option is not given.
    static func argument(_ text: String?, _ option: String) throws(CommandFailure) -> Duration? {
        guard let text else { return nil }
        guard let duration = DurationText(text)?.duration, duration > .zero else {
            throw CommandFailure(.usage, "\(option) must be a time like 30s (ms, s, m, h, d).")
        }
        return duration
    }
}
