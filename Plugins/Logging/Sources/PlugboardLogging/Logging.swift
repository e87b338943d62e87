import PlugboardKit
import PlugboardLoggingOptions
import PlugboardObserving

/// Logs each exchange at its end, in one of several formats; with `full`, heads as they pass.
///
/// It is outermost: it measures whole exchanges including redirects and retries, and sees heads as the program does. It
/// never logs secrets, and escapes control characters, so that a server's text cannot control a terminal.
struct Logging: Plugin {
    static let manifest = Manifest(
        id: "logging", version: "1.0.0", documentation: "Logs each exchange at its end.", priority: 10,
        hooks: [.request, .response, .close, .event],
        events: ["progress", "willComplete"],
        attributes: LoggingAttributes.definitions)

    typealias Settings = LoggingSettings

    private let settings: Settings
    private let host: PluginHost
    private let filter: LogFilter
    private let text: LogText
    private let target: LogTarget

    init(settings: Settings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
        filter = try LogFilter(settings)
        text = LogText(
            showsQueries: settings.queries == .show,
            redaction: try Redaction(parameters: settings.secretMembers, members: settings.secretMembers))
        target = LogTarget(settings, host)
    }

    func stop(within: Duration) async { target.drain() }

    func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict {
        let request = exchange.request
        let (method, url) = (request.method.name, request.url)
        guard filter.admits(method, url) else { return .next }
        let isShown = settings.format != .line
        let record = LogRecord(began: host.now, isShown ? (method, url, request.fields) : nil)
        exchange.turnState = record
        guard isShown else { return .next }
        exchange.wrapRequestBody { [limit = settings.bodies.bytes] inner in
            record.hasBody = true
            guard limit > 0 else { return inner }
            let capture = BodyCapture(upTo: limit)
            record.requestBody = capture
            return CapturedSource(inner, capture)
        }
        if settings.format == .full, let request = record.request {
            let (prefix, text) = (prefix(of: exchange), text)
            write(head(request.fields, url) { "\(prefix)\(method) \(text.url(url))" }, record, exchange)
        }
        return .next
    }

    func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict {
        guard let record = record(of: exchange), let response = exchange.response else { return .next }
        record.status = response.status
        guard settings.format == .full || settings.format == .json else { return .next }
        let fields = response.fields
        record.responseFields = fields
        if settings.bodies.bytes > 0 {
            let capture = BodyCapture(upTo: settings.bodies.bytes)
            record.responseBody = capture
            let isTaken: Void? = exchange.withWholeResponseBody { capture.takeWhole($0) }
            if isTaken == nil { exchange.wrapResponseBody { CapturedSource($0, capture) } }
        }
        if settings.format == .full {
            let (prefix, status) = (prefix(of: exchange), response.status)
            write(head(fields) { "\(prefix)→ \(status)" }, record, exchange)
        }
        return .next
    }

    func onEvent(_ event: borrowing Event, _ exchange: borrowing Exchange?) {
        switch exchange {
        case .some(let exchange):
            // A sub-request that does not pass this plugin has no record.
            guard let record = record(of: exchange) else { return }
            if event.is("progress") {
                record.received = event.integer("received")
            } else {
                record.asker = event["by"]
                record.responder = event["respondedBy"]
                record.isOfSubRequest = event["respondedWith"] == "subRequest"
            }
        case .none: break
        }
    }

    func onClose(_ exchange: borrowing Exchange, _ outcome: TurnOutcome) {
        let request = exchange.request
        let known = record(of: exchange)
        guard known != nil || filter.admits(request.method.name, request.url) else { return }
        let record = known ?? LogRecord(began: host.now, nil)
        let summary = ExchangeSummary(
            method: request.method.name, url: request.url, status: record.status,
            received: record.received, took: host.now - record.began, attempts: exchange.attempt, outcome: outcome,
            failure: exchange.failure, asker: record.asker, responder: record.responder,
            isOfSubRequest: record.isOfSubRequest)
        guard filter.admits(summary) else { return }
        let level = summary.isFailure ? max(level(of: exchange), .warning) : level(of: exchange)
        let prefix = prefix(of: exchange)
        let (sent, received) = (record.shownRequest(settings.format), record.shownResponse)
        let size =
            [prefix, summary.method, summary.url, summary.failure?.reason ?? ""].reduce(0) { $0 + $1.utf8.count }
        let whole = size + (sent?.size ?? 0) + (received?.size ?? 0)
        func write(_ size: Int, _ make: @escaping @Sendable () -> String) {
            target.write(level, LogText.Deferred(size: size, make: make))
        }
        let line: @Sendable () -> String = { [text, summary] in
            Printable.text(prefix + summary.text(text.url(summary.url)))
        }
        switch settings.format {
        case .line: write(size, line)
        case .full:
            for text in record.waiting { target.write(level, text) }
            for (title, message) in [("request", sent), ("response", received)] {
                guard let message, message.length > 0 else { continue }
                write(prefix.utf8.count + message.size) { [text] in prefix + text.body(title, message) }
            }
            write(size, line)
        case .json:
            let (label, time) = (exchange[LoggingAttributes.keys.label], host.wallClock)
            write(whole) { [text] in text.json(summary, sent, received, at: time, level, label: label) }
        case .curl:
            guard let sent, let (method, url, _) = record.request else { return }
            write(whole) { [text, hasBody = record.hasBody] in text.curl(method, url, sent, hasBody: hasBody) }
        }
    }

    /// A head as it is when this is called.
    private func head(
        _ fields: Fields, _ url: String = "", _ title: @escaping @Sendable () -> String
    ) -> LogText.Deferred {
        LogText.Deferred(size: url.utf8.count + fields.memory) {
            [showsQueries = text.showsQueries] in headText(title(), fields, showingQueries: showsQueries)
        }
    }

    /// Now, or at the end of the exchange if that decides whether it is logged.
    private func write(_ text: LogText.Deferred, _ record: LogRecord, _ exchange: borrowing Exchange) {
        if filter.needsEnd { record.waiting.append(text) } else { target.write(level(of: exchange), text) }
    }

    /// That of the request or its origin, or else the setting's.
    private func level(of exchange: borrowing Exchange) -> LogLevel {
        (exchange[LoggingAttributes.keys.level] ?? settings.level).ofHost
    }

    /// The label; with heads, also the exchange's number, which connects its lines.
    private func prefix(of exchange: borrowing Exchange) -> String {
        let label = exchange[LoggingAttributes.keys.label].map { "[\($0)] " } ?? ""
        return settings.format == .full ? "#\(exchange.id) \(label)" : label
    }

    private func record(of exchange: borrowing Exchange) -> LogRecord? { exchange.turnState as? LogRecord }
}

/// The plugin's entry function, which the kernel calls whether the plugin is linked or loaded.
@c(logging_LTX_plugboard_plugin)
public func loggingPlugin() -> UnsafePointer<plug_plugin_v1> { Logging.descriptor }

extension LoggingSettings.Level {
    fileprivate var ofHost: LogLevel {
        switch self {
        case .debug: .debug
        case .info: .info
        case .warning: .warning
        case .error: .error
        }
    }
}
