import PlugboardKit

/// The attributes of the plugin `telemetry`.
public struct TelemetryAttributes: AttributeTable {
    /// All keys.
    public static let keys = TelemetryAttributes()

    /// The span that the request is made in, as W3C's traceparent: 00-TRACE-SPAN-FLAGS.
    public let traceparent = AttributeKey<String>(
        "telemetry", "traceparent", "The span that the request is made in, as W3C's traceparent: 00-TRACE-SPAN-FLAGS.")
    /// The state of that span's tracing systems, as W3C's tracestate.
    public let tracestate = AttributeKey<String>(
        "telemetry", "tracestate", "The state of that span's tracing systems, as W3C's tracestate.")
    /// The path with names in place of values, such as /users/{id}: url.template, and a part of the span's name.
    public let template = AttributeKey<String>(
        "telemetry", "template",
        "The path with names in place of values, such as /users/{id}: url.template, and a part of the span's name.")
}

extension Request {
    /// The attributes for the plugin `telemetry`.
    public var telemetry: RequestAttributes<TelemetryAttributes> {
        get { RequestAttributes<TelemetryAttributes>(self) }
        set { self = newValue.request }
    }
}
