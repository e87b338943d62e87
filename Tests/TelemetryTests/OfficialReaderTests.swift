import Foundation
import Plugboard
import PlugboardTelemetry
import TestSupport
import Testing

/// The official definitions and parsers read what telemetry exports.
struct OfficialReaderTests {
    @Test(.enabled(if: knows("opentelemetry.proto.collector.trace.v1.trace_service_pb2"), skipped))
    func `the definitions of OTLP know each member of spans and metrics`() async throws {
        let folder = try TemporaryFolder()
        try await export(to: folder)

        let outcome = try await ProcessRunner.running(
            ["python3", "-c", OfficialReaderTests.otlp, folder.file("otlp.jsonl")])

        #expect(outcome.stderr == "")
        #expect(outcome.stdout.contains("span GET 3 16 8\n"), "\(outcome.stdout)")
        #expect(outcome.stdout.contains("metric http.client.request.duration s histogram\n"), "\(outcome.stdout)")
    }

    @Test(.enabled(if: knows("prometheus_client"), skipped))
    func `prometheus-client reads the metrics`() async throws {
        let folder = try TemporaryFolder()
        try await export(to: folder)

        let outcome = try await ProcessRunner.running(
            ["python3", "-c", OfficialReaderTests.prometheus, folder.file("metrics.prom")])

        #expect(outcome.stderr == "")
        let lines = outcome.stdout.split(separator: "\n")
        #expect(lines.contains("http_client_request_duration_seconds histogram 17"), "\(outcome.stdout)")
        #expect(lines.contains("http_client_active_requests gauge 1"), "\(outcome.stdout)")
    }

    /// One request, as lines of OTLP and as metrics.
    private func export(to folder: TemporaryFolder) async throws {
        let transport = MockTransport { _, _ in .respond(200, Fields(), nil) }
        let kernel = try Linkage.linked.kernel(
            telemetryPlugin(), transport,
            settings: [
                "path": .string(folder.file("otlp.jsonl")), "prometheusPath": .string(folder.file("metrics.prom")),
            ])
        _ = try await kernel.send(Request(.get, "http://a.test/"))
        await kernel.shutDown()
    }

    /// JSON of OTLP differs from that of Protocol Buffers in the identifiers, which are hexadecimal. The parser refuses
    /// members that it does not know.
    private static let otlp = """
        import base64, json, sys
        from google.protobuf import json_format
        from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
        def mended(value, name=""):
            if isinstance(value, dict): return {key: mended(each, key) for key, each in value.items()}
            if isinstance(value, list): return [mended(each) for each in value]
            if name not in ("traceId", "spanId", "parentSpanId"): return value
            return base64.b64encode(bytes.fromhex(value)).decode()
        for line in open(sys.argv[1]):
            message = mended(json.loads(line))
            if "resourceSpans" in message:
                for resource in json_format.ParseDict(message, ExportTraceServiceRequest()).resource_spans:
                    for span in resource.scope_spans[0].spans:
                        print("span", span.name, span.kind, len(span.trace_id), len(span.span_id))
            else:
                for resource in json_format.ParseDict(message, ExportMetricsServiceRequest()).resource_metrics:
                    for metric in resource.scope_metrics[0].metrics:
                        print("metric", metric.name, metric.unit, metric.WhichOneof("data"))
        """

    private static let prometheus = """
        import sys
        from prometheus_client.parser import text_string_to_metric_families
        for family in text_string_to_metric_families(open(sys.argv[1]).read()):
            print(family.name, family.type, len(family.samples))
        """

    private static let skipped: Comment =
        "skipped: python3 of this machine has no opentelemetry-proto or prometheus-client (PyPI)"

    private static func knows(_ module: String) -> Bool {
        let python = Process()
        python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        python.arguments = ["python3", "-c", "import \(module)"]
        python.standardError = FileHandle.nullDevice
        guard (try? python.run()) != nil else { return false }
        python.waitUntilExit()
        return python.terminationStatus == 0
    }
}
