import PlugboardKit

/// The settings of the plugin `telemetry`, for configurations and for programs in code.
///
///     .telemetry {
///         $0.service = "shop"
///         $0.endpoint = "http://localhost:4318"
///     }
public struct TelemetrySettings: PluginSettings {
    /// The name of the service, which is the resource's service.name.
    @Setting("The name of the service, which is the resource's service.name.", count: 1...255)
    public var service = "unknown_service"
    /// Further attributes of the resource, such as service.version and deployment.environment.name.
    @Setting("Further attributes of the resource, such as service.version and deployment.environment.name.")
    public var resource: [String: String] = [:]
    /// The URL of a collector for OTLP over HTTP, to which /v1/traces and /v1/metrics are added.
    @Setting("The URL of a collector for OTLP over HTTP, to which /v1/traces and /v1/metrics are added.")
    public var endpoint: String? = nil
    /// Fields of the requests to the collector, such as a key.
    @Setting("Fields of the requests to the collector, such as a key.", isSecret: true)
    public var fields: [String: String] = [:]
    /// A file to which OTLP is appended in lines of JSON, beside the collector or instead of it.
    @Setting("A file to which OTLP is appended in lines of JSON, beside the collector or instead of it.")
    public var path: String? = nil
    /// A file that is replaced by the metrics in Prometheus's text format, for its node exporter.
    @Setting("A file that is replaced by the metrics in Prometheus's text format, for its node exporter.")
    public var prometheusPath: String? = nil
    /// How often spans are exported.
    @Setting("How often spans are exported.", in: .milliseconds(100) ... .seconds(3600))
    public var interval = Duration.seconds(5)
    /// How often metrics are exported.
    @Setting("How often metrics are exported.", in: .milliseconds(100) ... .seconds(3600))
    public var metricsInterval = Duration.seconds(60)
    /// The percentage of traces that are sampled, of those that begin here; others follow their parent.
    @Setting(
        "The percentage of traces that are sampled, of those that begin here; others follow their parent.", in: 0...100)
    public var sampled = 100
    /// The most spans that wait for their export; further ones are dropped and counted.
    @Setting("The most spans that wait for their export; further ones are dropped and counted.", in: 1...1_000_000)
    public var limit = 2048
    /// Whether the values of queries are in url.full.
    @Setting("Whether the values of queries are in url.full.")
    public var queries = Queries.redact
    /// Names of request fields that spans have as http.request.header.NAME; secret ones are left out.
    @Setting("Names of request fields that spans have as http.request.header.NAME; secret ones are left out.")
    public var requestFields: [String] = []
    /// Names of response fields that spans have as http.response.header.NAME; secret ones are left out.
    @Setting("Names of response fields that spans have as http.response.header.NAME; secret ones are left out.")
    public var responseFields: [String] = []

    /// Whether the values of queries are shown.
    public enum Queries: String, WordOption {
        /// They are replaced.
        case redact
        /// They are shown as they are.
        case show
    }

    /// All settings at their defaults.
    public init() {}
}
