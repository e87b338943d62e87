/// The codes of the kernel, its transport and its kit. The first sentence of each is its meaning in
/// Documentation/errors.md.
extension PlugboardError.Code {
    /// The caller cancelled the exchange, or dropped its body before the end.
    public static let cancelled: Self = "cancelled"

    // MARK: Timeouts

    /// No connection was ready within `connectTimeout`.
    public static let timeoutConnect: Self = "timeout.connect"
    /// No byte was sent or received for `idleTimeout`.
    public static let timeoutIdle: Self = "timeout.idle"
    /// The attempt took longer than `attemptTimeout`, its body included.
    public static let timeoutAttempt: Self = "timeout.attempt"
    /// The exchange did not end within `timeout`.
    public static let timeoutExchange: Self = "timeout.exchange"

    // MARK: Transport

    /// The host's name or the proxy's has no address, or the name server did not respond.
    public static let transportDNS: Self = "transport.dns"
    /// No connection to the host could be opened.
    public static let transportConnect: Self = "transport.connect"
    /// The TLS handshake failed, or the server's public key is not one of the pins.
    public static let transportTLS: Self = "transport.tls"
    /// The server's certificate is not trusted, is expired, or is for another host.
    public static let transportTLSCertificate: Self = "transport.tls.certificate"
    /// The proxy refused the connection or the credentials.
    public static let transportProxy: Self = "transport.proxy"
    /// The connection ended before the response's head was complete.
    public static let transportReset: Self = "transport.reset"
    /// The server closed a connection kept from an earlier request before the response began. It may have processed the
    /// request. The kernel sends idempotent requests again before it reports this (RFC 9112 §9.3.1).
    public static let transportStale: Self = "transport.stale"
    /// The server did not process the request (RFC 9113 §8.7), or no byte of it was sent. It can be sent again,
    /// whatever its method.
    public static let transportUnprocessed: Self = "transport.unprocessed"
    /// The server's bytes are not HTTP, or exceed a limit of the kernel.
    public static let transportProtocol: Self = "transport.protocol"

    // MARK: Bodies

    /// The body's file, stream or buffer cannot be read.
    public static let bodyRead: Self = "body.read"
    /// The response's body ended before its length was reached, or before its last chunk (RFC 9112 §8).
    public static let bodyCut: Self = "body.cut"
    /// The body is larger than the limit allowed.
    public static let bodyLimit: Self = "body.limit"
    /// The body cannot be decoded.
    public static let bodyDecode: Self = "body.decode"
    /// The body has to be sent again and cannot start over.
    public static let bodyRewind: Self = "body.rewind"

    // MARK: Files

    /// A received body cannot be written to its file.
    public static let downloadWrite: Self = "download.write"

    // MARK: Requests

    /// The request's URL is not an absolute http or https URL that can be sent, or its host is not ASCII.
    public static let requestURL: Self = "request.url"
    /// A field of the request, or its method, cannot be sent.
    public static let requestField: Self = "request.field"
    /// An option or attribute of the request has a value that is not allowed.
    public static let requestOption: Self = "request.option"
    /// A parameter of the request is missing, or cannot be written where it is to stand.
    public static let requestParameter: Self = "request.parameter"
    /// The exchange's response was awaited twice.
    public static let requestTaken: Self = "request.taken"
    /// The exchange needed more attempts than `kernel.attemptLimit`, or sub-requests nested too deeply.
    public static let runaway: Self = "runaway"

    // MARK: Responses that a program refuses

    /// The response's status is not one that the program accepts.
    public static let responseStatus: Self = "response.status"
    /// The response's content type is not one that the program accepts.
    public static let responseType: Self = "response.type"

    // MARK: Plugins

    /// A plugin broke the rules of the ABI, threw, or trapped.
    public static let pluginFault: Self = "plugin.fault"
    /// A plugin failed the exchange without a code of its own.
    public static let pluginFailed: Self = "plugin.failed"
    /// The plugin was disabled because of its faults (`onFault: disable`).
    public static let pluginDisabled: Self = "plugin.disabled"
    /// A plugin did not complete a command, or cannot read its arguments.
    public static let commandFailed: Self = "command.failed"
    /// The kernel refused a plugin's sub-request.
    public static let pluginSubrequest: Self = "plugin.subrequest"
    /// No enabled plugin has the command's id, or that plugin does not list the command.
    public static let commandUnknown: Self = "command.unknown"
    /// The reply to a command is not what the caller can read.
    public static let commandReply: Self = "command.reply"

    // MARK: Start-up

    /// The configuration is refused; the reason lists its errors.
    public static let configuration: Self = "configuration"
    /// The plugins cannot be ordered, because `before` and `after` form a cycle.
    public static let pluginOrder: Self = "plugin.order"
    /// A plugin refused to start.
    public static let pluginStart: Self = "plugin.start"

    // MARK: The kernel

    /// The system has no file descriptor or no thread left.
    public static let resources: Self = "resources"
    /// The kernel is shutting down.
    public static let shutDown: Self = "shutDown"
    /// The kernel contradicted itself; please report this as a bug.
    public static let kernel: Self = "kernel"

    // MARK: Neither success nor failure

    /// A plugin ended the exchange on purpose; callbacks report neither success nor failure.
    public static let ignored: Self = "ignored"
    /// A plugin keeps the request and sends it later.
    public static let queued: Self = "queued"
}
