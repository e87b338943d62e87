import PlugboardKit

/// The exit status, for scripts: curl's numbers where curl has one, others from 100.
struct ExitStatus: Equatable, Sendable {
    let number: Int32
    let meaning: String
    /// The codes of `PlugboardError` with this status; a kind such as `timeout` stands for all codes of that kind.
    let codes: [String]

    private init(_ number: Int32, _ meaning: String, _ codes: String...) {
        self.number = number
        self.meaning = meaning
        self.codes = codes
    }

    static let success = ExitStatus(0, "success, whatever the HTTP status is")
    static let failure = ExitStatus(1, "errors were found, or an error that is not listed here")
    static let usage = ExitStatus(
        2, "the command line or an option cannot be used", "request.field", "request.option",
        "request.parameter", "control.request")
    static let url = ExitStatus(3, "the URL cannot be read", "request.url")
    static let proxy = ExitStatus(5, "the proxy cannot be found", "transport.proxy")
    static let dns = ExitStatus(6, "the host's name cannot be resolved", "transport.dns")
    static let connect = ExitStatus(7, "no connection can be made", "transport.connect", "control.socket")
    static let malformed = ExitStatus(8, "the response is not HTTP", "transport.protocol")
    static let framing = ExitStatus(16, "HTTP/2 failed")
    static let cut = ExitStatus(18, "the body is incomplete", "body.cut", "resume.changed")
    static let status = ExitStatus(22, "with --fail: the status is 400 or more")
    static let write = ExitStatus(23, "the body or another file cannot be written", "download", "upload.journal")
    static let upload = ExitStatus(25, "the server did not take the upload", "upload")
    static let read = ExitStatus(
        26, "a file or standard input cannot be read", "body.read", "upload.changed")
    static let timeout = ExitStatus(28, "a time limit was reached", "timeout")
    static let range = ExitStatus(33, "the server does not continue a body")
    static let handshake = ExitStatus(35, "the TLS handshake failed", "transport.tls")
    static let interface = ExitStatus(45, "the network interface cannot be used")
    static let redirects = ExitStatus(47, "too many redirects, or one that is refused", "redirect")
    static let nothing = ExitStatus(52, "the server closed the connection without a response")
    static let send = ExitStatus(55, "the connection was lost while the request was sent")
    static let receive = ExitStatus(
        56, "the connection was lost before the response, or a proxy refused it", "transport", "body")
    static let clientCertificate = ExitStatus(58, "the client's certificate or key cannot be used")
    static let certificate = ExitStatus(
        60, "the server's certificate is not trusted", "transport.tls.certificate")
    static let decoding = ExitStatus(61, "the content encoding is damaged or unknown", "body.decode")
    static let size = ExitStatus(63, "the body is larger than allowed", "body.limit")
    static let rewind = ExitStatus(65, "the request's body cannot be sent again", "body.rewind", "redirect.body")
    static let trust = ExitStatus(77, "the file of trusted certificates cannot be read")
    static let pins = ExitStatus(90, "the server's public key is not one of the pins")
    static let stream = ExitStatus(92, "a stream of HTTP/2 failed")
    static let socks = ExitStatus(97, "a SOCKS proxy refused the connection")
    static let configuration = ExitStatus(100, "the configuration cannot be used", "configuration")
    static let loading = ExitStatus(101, "a plugin's file is refused", "loading")
    static let startup = ExitStatus(102, "the plugins cannot be ordered or started", "plugin.order", "plugin.start")
    static let plugin = ExitStatus(103, "a plugin failed the exchange, or broke a rule", "plugin")
    static let command = ExitStatus(104, "a plugin's command is unknown or failed", "command")
    static let runaway = ExitStatus(105, "the exchange needed more attempts than attemptLimit", "runaway")
    static let verdict = ExitStatus(106, "a plugin ignored or queued the request", "ignored", "queued")
    static let digest = ExitStatus(107, "the file does not have the expected digest", "download.digest")
    static let undecided = ExitStatus(108, "a document cannot be judged within the limits")
    static let interrupted = ExitStatus(130, "interrupted or cancelled", "cancelled", "shutDown")

    static let all = [
        success, failure, usage, url, proxy, dns, connect, malformed, framing, cut, status, write, upload, read,
        timeout, range, handshake, interface, redirects, nothing, send, receive, clientCertificate, certificate,
        decoding, size, rewind, trust, pins, stream, socks, configuration, loading, startup, plugin, command, runaway,
        verdict, digest, undecided, interrupted,
    ]

    /// Statuses that libcurl's result decides, because one code of `PlugboardError` stands for several results.
    private static let ofTransport = [
        framing, interface, nothing, send, receive, clientCertificate, decoding, trust, pins, stream, socks,
    ]

    /// The status for an error: that of libcurl's result, else that of its code, else of the longest listed prefix of
    /// its code.
    init(for error: PlugboardError) {
        if let result = error.transportResult,
            let status = ExitStatus.ofTransport.first(where: { Int($0.number) == result })
        {
            self = status
            return
        }
        var name = error.code.name[...]
        while true {
            if let status = ExitStatus.all.first(where: { $0.codes.contains(String(name)) }) {
                self = status
                return
            }
            guard let dot = name.lastIndex(of: ".") else { break }
            name = name[..<dot]
        }
        // A code of a plugin (`cache.damaged`).
        self = error.plugin == nil ? .failure : .plugin
    }

    /// All statuses, one line each, for `--help`.
    static var table: String {
        all.map { status in
            let number = String(status.number)
            return "  \(String(repeating: " ", count: 3 - number.count))\(number)  \(status.meaning)"
        }.joined(separator: "\n")
    }
}

/// Ends the command with a status, and perhaps a message.
struct CommandFailure: Error {
    let status: ExitStatus
    /// Nil prints nothing.
    let message: String?
    /// The code of the error; nil for other failures.
    private(set) var code: PlugboardError.Code?
    /// The status of the response that is the failure; nil for other failures.
    var responseStatus: Int?

    init(_ status: ExitStatus, _ message: String?) {
        self.status = status
        self.message = message
    }
    /// The message has the error's reason, cause and plugin, but not its code, which the status stands for.
    init(_ status: ExitStatus, _ error: PlugboardError) {
        let cause = error.underlying.map { $0.isEmpty ? "" : " (\($0))" } ?? ""
        let plugin = error.plugin.map { " [plugin \($0)]" } ?? ""
        self.init(status, "\(error.reason)\(cause)\(plugin)")
        code = error.code
    }

    /// Any error that a verb throws.
    init(of error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as PlugboardError: self.init(ExitStatus(for: error), error)
        default: self.init(.failure, "\(error)")
        }
    }
}
