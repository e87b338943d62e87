import PlugboardKit
import PlugboardLoggingOptions

/// Logs each exchange at its end in one line, and the heads too if they are wanted.
///
/// It is outermost: it measures whole exchanges including redirects and retries, and sees heads as the program does. It
/// never logs secrets, and escapes control characters, so that a server's text cannot control a terminal.
struct Logging: Plugin {
    static let manifest = Manifest(
        id: "logging", version: "1.0.0", documentation: "Logs each exchange at its end in one line.", priority: 10,
        hooks: [.request, .response, .close, .event],
        events: ["progress", "willComplete"],
        attributes: LoggingAttributes.definitions)

    typealias Settings = LoggingSettings

    private let settings: Settings
    private let host: PluginHost

    init(settings: Settings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
    }

    func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict {
        exchange.turnState = Record(began: host.now)
        if settings.detail == .heads {
            let request = exchange.request
            let fields = request.fields
            let title = "\(prefix(of: exchange))\(request.method) \(printed(request.url))"
            host.log(settings.level.ofHost, headText(title, fields, showingQueries: settings.queries == .show))
        }
        return .next
    }

    func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict {
        guard let response = exchange.response else { return .next }
        record(of: exchange)?.status = response.status
        if settings.detail == .heads {
            let fields = response.fields
            let title = "\(prefix(of: exchange))→ \(response.status)"
            host.log(settings.level.ofHost, headText(title, fields, showingQueries: settings.queries == .show))
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
        let record = record(of: exchange)
        let request = exchange.request
        let summary = ExchangeSummary(
            method: request.method.name, url: printed(request.url), status: record?.status, received: record?.received,
            took: record.map { host.now - $0.began } ?? .zero, attempts: exchange.attempt, outcome: outcome,
            failure: exchange.failure, asker: record?.asker, responder: record?.responder,
            isOfSubRequest: record?.isOfSubRequest ?? false)
        let prefix = prefix(of: exchange)
        host.log(
            summary.isFailure ? max(settings.level.ofHost, .warning) : settings.level.ofHost,
            Printable.text(prefix + summary.text))
    }

    private func printed(_ url: String) -> String {
        Printable.url(url, showingQuery: settings.queries == .show)
    }

    /// The label; with heads, also the exchange's number, which connects its lines.
    private func prefix(of exchange: borrowing Exchange) -> String {
        let label = exchange[LoggingAttributes.keys.label].map { "[\($0)] " } ?? ""
        return settings.detail == .heads ? "#\(exchange.id) \(label)" : label
    }

    private func record(of exchange: borrowing Exchange) -> Record? { exchange.turnState as? Record }

    /// The facts about an exchange so far. Used by its hooks only, which never overlap.
    private final class Record {
        let began: Duration
        var status: Int?
        var received: Int?
        var asker: String?
        var responder: String?
        var isOfSubRequest = false

        init(began: Duration) { self.began = began }
    }
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
