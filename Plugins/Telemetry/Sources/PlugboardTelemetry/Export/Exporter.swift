import PlugboardKit
import PlugboardTelemetryOptions
import Synchronization

/// Sends spans and metrics on, in batches. A collector that is slow, down or asks to wait costs requests nothing: what
/// is beyond the limit is dropped, and counted in `telemetry.dropped`.
final class Exporter: Sendable {
    private let settings: TelemetrySettings
    private let host: PluginHost
    private let waiting = Mutex<[Span]>([])
    private let isClosing = Atomic(false)
    private let dropped: PluginHost.Counter
    private let failed: PluginHost.Counter
    private let file: LineFile?
    /// Since 1970.
    let began: Duration

    /// The most spans of one message.
    private static let batchSize = 512

    init(_ settings: TelemetrySettings, _ host: PluginHost) {
        (self.settings, self.host) = (settings, host)
        began = host.wallClock
        dropped = host.counter("dropped")
        failed = host.counter("failed")
        file = settings.path.map { LineFile(host.configuredPath($0)) }
    }

    private var hasTarget: Bool { settings.endpoint != nil || file != nil }

    /// [loop]
    func add(_ span: Span) {
        guard hasTarget else { return }
        let isKept = waiting.withLock { spans in
            guard spans.count < settings.limit else { return false }
            spans.append(span)
            return true
        }
        if !isKept { dropped.add() }
        if isClosing.load(ordering: .relaxed) { sendLast() }
    }

    /// The kernel is being shut down: it waits for requests that begin now, and takes none in `stop`. [loop]
    func close() {
        isClosing.store(true, ordering: .relaxed)
        sendLast()
        if settings.endpoint != nil {
            send(OTLP.metrics(host.metrics, settings, at: host.wallClock, since: began), to: "/v1/metrics")
        }
    }

    /// Sends what waits, without a second try. A file gets it in `finish`, which may block.
    private func sendLast() {
        guard settings.endpoint != nil, file == nil else { return }
        let spans = waiting.withLock { spans in
            defer { spans = [] }
            return spans
        }
        for start in stride(from: 0, to: spans.count, by: Exporter.batchSize) {
            let batch = Array(spans[start..<min(start + Exporter.batchSize, spans.count)])
            send(OTLP.spans(batch, settings), to: "/v1/traces")
        }
    }

    private func send(_ message: JSONValue, to path: String) {
        guard let request = request(JSONWriter.write(message), path, within: .seconds(10)) else { return }
        host.send(request, for: nil, isDetached: true) { [failed] result in
            if case .failure = result { failed.add() }
        }
    }

    func start() {
        if hasTarget {
            host.startTask { [self] in
                while (try? await host.sleep(for: settings.interval)) != nil { await exportSpans() }
            }
        }
        if hasTarget || settings.prometheusPath != nil {
            host.startTask { [self] in
                while (try? await host.sleep(for: settings.metricsInterval)) != nil { await exportMetrics() }
            }
        }
    }

    /// What waits is written before the kernel ends.
    func finish() async {
        await exportSpans(isLast: true)
        await exportMetrics(isLast: true)
    }

    private func exportSpans(isLast: Bool = false) async {
        while true {
            let batch = waiting.withLock { spans in
                let batch = Array(spans.prefix(Exporter.batchSize))
                spans.removeFirst(batch.count)
                return batch
            }
            if batch.isEmpty { return }
            let isSent = await export(OTLP.spans(batch, settings), to: "/v1/traces", isLast)
            guard !isSent else { continue }
            // They wait for the next time, before those that have come since, if there is room.
            let lost = waiting.withLock { spans in
                let kept = batch.prefix(max(settings.limit - spans.count, 0))
                spans.insert(contentsOf: kept, at: 0)
                return batch.count - kept.count
            }
            if lost > 0 { dropped.add(lost) }
            return
        }
    }

    private func exportMetrics(isLast: Bool = false) async {
        let metrics = host.metrics
        if let path = settings.prometheusPath {
            let text = PrometheusText.text(of: metrics)
            let target = host.configuredPath(path)
            await blocking { [host] in
                if let error = LineFile.replace(target, with: text) { host.log(.warning, error) }
            }
        }
        guard hasTarget, !metrics.isEmpty else { return }
        let message = OTLP.metrics(metrics, settings, at: host.wallClock, since: began)
        _ = await export(message, to: "/v1/metrics", isLast)
    }

    /// Returns false if it is to be sent again.
    ///
    /// - Parameter isLast: The kernel has ended, and only a file can be written.
    private func export(_ message: JSONValue, to path: String, _ isLast: Bool) async -> Bool {
        let text: String = JSONWriter.write(message)
        if let file {
            await blocking { [host] in
                if let error = file.append(text) { host.log(.warning, error) }
            }
        }
        if isLast { return true }
        guard let request = request(text, path, within: .seconds(10)) else { return true }
        do {
            let response = try await host.send(request, for: nil, isDetached: true)
            let status = response.head.status
            _ = try await response.collect(upTo: .mebibytes(1))
            if (200...299).contains(status) { return true }
            failed.add()
            // OTLP/HTTP: these may be sent again, others never.
            if [429, 502, 503, 504].contains(status) { return false }
            host.log(.warning, "The collector \(Printable.url(request.url)) refused telemetry with \(status).")
            return true
        } catch {
            failed.add()
            return false
        }
    }

    /// Nil without a collector.
    private func request(_ text: String, _ path: String, within limit: Duration) -> Request? {
        guard let endpoint = settings.endpoint else { return nil }
        var request = Request(
            .post, (endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint) + path, body: .text(text))
        request.fields.append(.contentType, "application/json")
        for (name, value) in settings.fields {
            request.fields.append(FieldName(name), value)
            request.fields.markSecret(FieldName(name))
        }
        request.options.timeout = limit
        return request
    }

    private func blocking(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            let isRun = host.runBlocking {
                work()
                continuation.resume()
            }
            // The kernel ends: `stop` may block.
            if !isRun {
                work()
                continuation.resume()
            }
        }
    }
}
