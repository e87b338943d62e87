import PlugboardKit
import PlugboardObserving
import PlugboardTelemetryOptions

/// OpenTelemetry's protocol in JSON (OTLP 1): 64-bit numbers are texts, identifiers hexadecimal.
struct OTLP {
    private let resource: JSONValue
    private let scope: JSONValue
    private let showsQueries: Bool

    /// - Parameter version: The kernel's version.
    init(_ settings: TelemetrySettings, version: String) {
        let own = [
            "service.name": settings.service, "telemetry.sdk.name": "plugboard", "telemetry.sdk.language": "swift",
            "telemetry.sdk.version": version,
        ]
        let all = own.merging(settings.resource) { $1 }.sorted { $0.key < $1.key }
        resource = ["attributes": .array(all.map { OTLP.attribute($0.key, $0.value) })]
        scope = ["name": "plugboard", "version": .string(version)]
        showsQueries = settings.queries == .show
    }

    func spans(_ spans: [Span]) -> JSONValue {
        [
            "resourceSpans": [
                [
                    "resource": resource,
                    "scopeSpans": [["scope": scope, "spans": .array(spans.map { span($0) })]],
                ]
            ]
        ]
    }

    private func span(_ span: Span) -> JSONValue {
        var object: JSONObject = [
            "traceId": .string(span.context.trace.text), "spanId": .string(Hexadecimal.text(span.context.span)),
            "flags": .number(JSONNumber(Int(span.context.flags))), "name": .string(span.facts.name), "kind": 3,
            "startTimeUnixNano": OTLP.time(span.began), "endTimeUnixNano": OTLP.time(max(span.ended, span.began)),
            "attributes": attributes(of: span),
        ]
        if let state = span.context.state { object["traceState"] = .string(state) }
        if let parent = span.parent { object["parentSpanId"] = .string(Hexadecimal.text(parent)) }
        if !span.events.isEmpty {
            object["events"] = .array(
                span.events.map { event in
                    [
                        "timeUnixNano": OTLP.time(event.time), "name": .string(event.name),
                        "attributes": .array(event.attributes.map { OTLP.attribute($0.name, $0.value) }),
                    ]
                })
        }
        // A request that the program has cancelled did not fail.
        if let error = span.facts.errorType, !span.isCancelled {
            var status: JSONObject = ["code": 2]
            if span.facts.failure != nil { status["message"] = .string(error) }
            object["status"] = .object(status)
        }
        return .object(object)
    }

    private func attributes(of span: Span) -> JSONValue {
        let url = Printable.url(span.url, showingQuery: showsQueries)
        var list = span.facts.attributes(url: url).map { fact in
            switch fact.value {
            case .text(let text): OTLP.attribute(fact.name, text)
            case .integer(let number): OTLP.attribute(fact.name, number)
            }
        }
        if let size = span.requestSize, size > 0 { list.append(OTLP.attribute("http.request.body.size", size)) }
        if let size = span.responseSize { list.append(OTLP.attribute("http.response.body.size", size)) }
        for (name, values) in span.fields {
            let values = JSONValue.array(values.map { ["stringValue": .string($0)] })
            list.append(["key": .string(name), "value": ["arrayValue": ["values": values]]])
        }
        return .array(list)
    }

    func metrics(_ metrics: [Metric], at now: Duration, since began: Duration) -> JSONValue {
        var families: [(name: String, metrics: [Metric])] = []
        for metric in metrics {
            if families.last?.name == metric.name {
                families[families.count - 1].metrics.append(metric)
            } else {
                families.append((metric.name, [metric]))
            }
        }
        return [
            "resourceMetrics": [
                [
                    "resource": resource,
                    "scopeMetrics": [
                        ["scope": scope, "metrics": .array(families.map { OTLP.family($0.metrics, now, began) })]
                    ],
                ]
            ]
        ]
    }

    /// All metrics of a name are of one kind.
    private static func family(_ metrics: [Metric], _ now: Duration, _ began: Duration) -> JSONValue {
        guard let first = metrics.first else { return .null }
        let points = JSONValue.array(metrics.map { point($0, now, began) })
        var object: JSONObject = ["name": .string(first.exportedName), "unit": .string(first.unit)]
        if let help = first.help { object["description"] = .string(help) }
        switch first.kind {
        case .counter: object["sum"] = ["aggregationTemporality": 2, "isMonotonic": true, "dataPoints": points]
        case .gauge where first.isSum:
            object["sum"] = ["aggregationTemporality": 2, "isMonotonic": false, "dataPoints": points]
        case .gauge: object["gauge"] = ["dataPoints": points]
        case .histogram: object["histogram"] = ["aggregationTemporality": 2, "dataPoints": points]
        }
        return .object(object)
    }

    private static func point(_ metric: Metric, _ now: Duration, _ began: Duration) -> JSONValue {
        var object: JSONObject = [
            "attributes": .array(metric.labels.map(label)), "startTimeUnixNano": time(began), "timeUnixNano": time(now),
        ]
        guard metric.kind == .histogram else {
            object["asInt"] = .string("\(metric.value)")
            return .object(object)
        }
        let scale = metric.isTime ? 1e9 : 1
        func number(_ value: Int64) -> JSONValue { .number(JSONNumber(Double(value) / scale) ?? 0) }
        object["count"] = .string("\(metric.counts.reduce(0, &+))")
        object["sum"] = number(metric.value)
        object["explicitBounds"] = .array(metric.bounds.map(number))
        object["bucketCounts"] = .array(metric.counts.map { .string("\($0)") })
        return .object(object)
    }

    /// Labels that are numbers in the conventions are written as numbers, all others as texts.
    private static func label(_ label: Metric.Label) -> JSONValue {
        if ["server.port", "http.response.status_code"].contains(label.name), let number = Int(label.value) {
            return attribute(label.name, number)
        }
        return attribute(label.name, label.value)
    }

    private static func attribute(_ name: String, _ value: String) -> JSONValue {
        ["key": .string(name), "value": ["stringValue": .string(value)]]
    }

    private static func attribute(_ name: String, _ value: Int) -> JSONValue {
        ["key": .string(name), "value": ["intValue": .string("\(value)")]]
    }

    private static func time(_ sinceEpoch: Duration) -> JSONValue {
        let (seconds, attoseconds) = sinceEpoch.components
        return .string("\(seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)")
    }
}
