import PlugboardKit
import PlugboardObserving
import PlugboardTelemetryOptions

/// Spans and metrics by OpenTelemetry's stable conventions for HTTP clients (semantic conventions, http-spans and
/// http-metrics).
///
/// As the conventions require, each attempt has a span: each redirect and each retry has its own, and a response from
/// the cache has none. So the plugin runs just inside the plugins that send requests again, and outside those that sign
/// them.
struct Telemetry: Plugin {
    static let manifest = Manifest(
        id: "telemetry", version: "1.0.0",
        documentation: "Makes OpenTelemetry's spans and metrics of attempts, and exports them.", priority: 890,
        hooks: [.request, .response, .close, .event],
        events: [
            "attemptEnded", "headReceived", "progress", "redirect.followed", "retry.scheduled", "retry.gaveUp",
            "closing", "cache.hit", "cache.miss", "cache.revalidated", "cache.stale",
        ],
        attributes: TelemetryAttributes.definitions, commands: TelemetryCommand.allCases.map(\.definition))

    typealias Settings = TelemetrySettings

    private let settings: Settings
    private let host: PluginHost
    private let measures: Measures
    private let exporter: Exporter
    private let identifiers = TraceIdentifiers()
    // Each request needs it. Reading a setting takes longer.
    private let sampled: Int
    private let showsQueries: Bool
    private let requestFields: [FieldName]
    private let responseFields: [FieldName]

    init(settings: Settings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
        sampled = settings.sampled
        showsQueries = settings.queries == .show
        if let endpoint = settings.endpoint,
            Origin(url: endpoint) == nil || endpoint.contains(where: { "?#".contains($0) })
        {
            throw PlugboardError(
                .configuration,
                "endpoint is \(Printable.url(endpoint)), which is not a URL such as http://localhost:4318.")
        }
        if let name = settings.fields.keys.first(where: { !Telemetry.isToken($0) }) {
            throw PlugboardError(.configuration, "fields has \(Printable.text(name)), which is not a field name.")
        }
        requestFields = settings.requestFields.map { FieldName($0) }
        responseFields = settings.responseFields.map { FieldName($0) }
        measures = Measures(host)
        exporter = Exporter(settings, host)
    }

    func start() throws { if !host.isQuiet { exporter.start() } }

    func stop(within: Duration) async { await exporter.finish() }

    func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict {
        let trace = trace(of: exchange)
        let request = exchange.request
        let method = request.method.name
        let (url, target) = request.withURL { (Fields.text($0), measures.began(method, $0)) }
        let context = TraceContext(
            trace: trace.number, span: identifiers.next(), isSampled: trace.isSampled, state: trace.parent?.state)
        let span = Span(
            context, parent: trace.parent?.span, began: host.wallClock, at: host.now,
            AttemptFacts(
                method: method, origin: target.origin, template: exchange[TelemetryAttributes.keys.template],
                resends: trace.attempts),
            url: url.utf8.count <= Telemetry.longest ? url : short(Printable.url(url, showingQuery: showsQueries)),
            target, trace.pending)
        trace.attempts += 1
        trace.pending = []
        trace.span = span
        context.withParent { request.set("traceparent", $0) }
        if context.state != nil || request.contains("tracestate") { request["tracestate"] = context.state }
        if !requestFields.isEmpty { take(requestFields, of: request.fields, as: "request", in: span) }
        exporter.begin()
        return .next
    }

    func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict {
        guard let span = span(of: exchange), let response = exchange.response else { return .next }
        span.facts.status = response.status
        if !responseFields.isEmpty { take(responseFields, of: response.fields, as: "response", in: span) }
        return .next
    }

    func onEvent(_ event: borrowing Event, _ exchange: borrowing Exchange?) {
        switch exchange {
        case .some(let exchange): note(event, of: exchange)
        case .none: if event.is("closing") { exporter.close() }
        }
    }

    private func note(_ event: borrowing Event, of exchange: borrowing Exchange) {
        let span = span(of: exchange)
        if event.is("headReceived") {
            span?.facts.version = event["version"]
        } else if event.is("progress") {
            span?.requestSize = event.integer("sent")
            span?.responseSize = event.integer("received")
        } else if event.is("attemptEnded") {
            span?.facts.end(address: event["address"], port: event.integer("port"), code: event["code"])
        } else if let span {
            span.note(event.id, at: host.wallClock, event.details)
        } else {
            // Events of the cache come before the request reaches this plugin.
            let trace = trace(of: exchange)
            guard trace.pending.count < Span.eventLimit else { return }
            trace.pending.append(Span.Event(name: event.id, time: host.wallClock, attributes: event.details))
        }
    }

    func onClose(_ exchange: borrowing Exchange, _ outcome: TurnOutcome) {
        guard let trace = exchange.state as? Trace, let span = trace.span else { return }
        trace.span = nil
        // Measured by the monotonic clock, because the wall clock can be set meanwhile.
        span.ended = span.began + (host.now - span.start)
        // A plugin may fail what the network has not failed.
        if let failure = exchange.failure { span.facts.failure = failure.code.name }
        span.isCancelled = outcome == .cancelled
        measures.ended(span)
        exporter.end(span)
    }

    func command(_ name: String, _ arguments: JSONValue, _ reply: Reply) {
        switch TelemetryCommand(rawValue: name) {
        case .prometheus: reply.body(.text(PrometheusText.text(of: host.metrics)))
        case .metrics: reply.json(exporter.otlp.metrics(host.metrics, at: host.wallClock, since: exporter.began))
        case nil: reply.fail(PlugboardError(.commandUnknown, "The plugin telemetry has no command \(name)."))
        }
    }

    /// The trace of the exchange, which the first attempt makes.
    private func trace(of exchange: borrowing Exchange) -> Trace {
        if let trace = exchange.state as? Trace { return trace }
        let request = exchange.request
        // The state belongs to the trace that it came with.
        let given = exchange[TelemetryAttributes.keys.traceparent].flatMap {
            TraceContext($0, state: exchange[TelemetryAttributes.keys.tracestate])
        }
        let parent =
            given
            ?? request["traceparent"].flatMap { parent in
                TraceContext(parent, state: request.fields.values("tracestate").joined(separator: ","))
            }
        let trace = Trace(
            parent: parent, identifiers.trace(), isSampled: sampled == 100 || Int(identifiers.next() % 100) < sampled)
        exchange.state = trace
        return trace
    }

    /// The attempt that is under way.
    private func span(of exchange: borrowing Exchange) -> Span? { (exchange.state as? Trace)?.span }

    private func take(_ names: [FieldName], of fields: Fields, as direction: String, in span: Span) {
        for name in names where !fields.isSecret(name) {
            let values = fields.filter { FieldName($0.name) == name }.map { field in
                short(Printable.value(of: field, showingQuery: showsQueries))
            }
            if !values.isEmpty { span.fields.append(("http.\(direction).header.\(name.text.lowercased())", values)) }
        }
    }

    private func short(_ text: String) -> String { String(text.prefix(Telemetry.longest)) }

    /// The most characters of a value that a server or a program decides.
    private static let longest = 4096

    private static func isToken(_ name: String) -> Bool {
        var reader = FieldReader(name)
        return reader.token() == name
    }
}

/// The plugin's commands.
enum TelemetryCommand: String, CaseIterable {
    case prometheus, metrics

    var definition: CommandDefinition {
        switch self {
        case .prometheus:
            CommandDefinition("prometheus", "Shows all metrics in Prometheus's text format.", isQuiet: true)
        case .metrics: CommandDefinition("metrics", "Shows all metrics as OTLP in JSON.", isQuiet: true)
        }
    }
}

/// The plugin's entry function, which the kernel calls whether the plugin is linked or loaded.
@c(telemetry_LTX_plugboard_plugin)
public func telemetryPlugin() -> UnsafePointer<plug_plugin_v1> { Telemetry.descriptor }
