import PlugboardKit

extension Metric {
    /// The name that exporters give it. The conventions' metrics of HTTP clients, which the plugin `telemetry` and the
    /// kernel keep under names of their own, have the conventions' names.
    public var exportedName: String {
        switch name {
        case "kernel.connections.open": "http.client.open_connections"
        case "kernel.connections.duration": "http.client.connection.duration"
        default: name.hasPrefix("telemetry.http.") ? String(name.dropFirst("telemetry.".count)) : name
        }
    }

    /// Whether it counts nanoseconds, which exporters write in seconds.
    public var isTime: Bool { unit == "s" }

    /// Whether it is a sum that rises and falls (an up-down counter), and not a value on its own.
    public var isSum: Bool {
        ["http.client.active_requests", "http.client.open_connections"].contains(exportedName)
    }

    /// The unit as OpenTelemetry writes it (UCUM); `1` for numbers of things without a word.
    public var unit: String {
        switch exportedName {
        case "http.client.request.duration", "http.client.connection.duration": "s"
        case "http.client.active_requests": "{request}"
        case "http.client.open_connections": "{connection}"
        case "http.client.request.body.size", "http.client.response.body.size": "By"
        default: "1"
        }
    }
}
