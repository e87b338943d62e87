import PlugboardKit
import PlugboardObserving
import PlugboardTelemetryOptions
import Synchronization

/// Exports spans and metrics in batches. A collector that is slow, down or asks to wait does not delay requests: spans
/// beyond the limit are dropped, and counted in `telemetry.dropped`.
final class Exporter: Sendable {
    private struct State {
        var waiting: [Span] = []
        /// The number of these spans, from the first one, that are in the file already.
        var written = 0
        /// Nothing is exported before `start`, and in a process that was started for a command alone.
        var isStarted = false
        /// Whether the last message was sent.
        var isSent = false
        /// The collector has asked for no message until then, by the monotonic clock.
        var pausedUntil = Duration.zero
    }

    private let settings: TelemetrySettings
    private let host: PluginHost
    private let state = Mutex(State())
    private let tasks = Mutex<[Task<Void, Never>]>([])
    /// Spans that have begun and not ended.
    private let active = Atomic(0)
    private let isClosing = Atomic(false)
    private let dropped: PluginHost.Counter
    private let failed: PluginHost.Counter
    private let file: LineFile?
    // Each span asks for them. Reading a setting takes longer.
    private let (hasTarget, limit): (Bool, Int)
    /// The start as time since 1970-01-01 UTC.
    let began: Duration
    let otlp: OTLP

    /// The most spans of one message.
    private static let batchSize = 512
    /// The limits of the last messages: the number of batches, and the time that the kernel's end may wait for them.
    private static let (lastBatches, lastTime) = (4, Duration.seconds(2))

    init(_ settings: TelemetrySettings, _ host: PluginHost) {
        (self.settings, self.host) = (settings, host)
        began = host.wallClock
        otlp = OTLP(settings, version: host.kernelVersion)
        dropped = host.counter("dropped")
        failed = host.counter("failed")
        file = settings.path.map { LineFile(host.configuredPath($0)) }
        (hasTarget, limit) = (settings.endpoint != nil || settings.path != nil, settings.limit)
    }

    func start() {
        state.withLock { $0.isStarted = true }
        if hasTarget {
            startTask { [self] in
                while await isDue(after: settings.interval) { await exportSpans() }
            }
        }
        if hasTarget || settings.prometheusPath != nil {
            startTask { [self] in
                while await isDue(after: settings.metricsInterval) { await exportMetrics() }
            }
        }
    }

    private func startTask(_ operation: @escaping @Sendable () async -> Void) {
        tasks.withLock { $0.append(host.startTask(operation)) }
    }

    /// False when the kernel ends: `close` sends the last messages, and another one would keep it waiting.
    private func isDue(after interval: Duration) async -> Bool {
        (try? await host.sleep(for: interval)) != nil && !isClosing.load(ordering: .relaxed)
    }

    // MARK: Spans

    /// [loop]
    func begin() { active.add(1, ordering: .relaxed) }

    /// Called when a span has ended. Only sampled spans are exported. [loop]
    func end(_ span: Span) {
        if span.context.isSampled, hasTarget {
            state.withLock { state in
                guard state.isStarted else { return }
                if state.waiting.count < limit { state.waiting.append(span) } else { dropped.add() }
            }
        }
        // After that, because the last one sends the spans that wait. `close` reads the two in the other order.
        let isLast = active.subtract(1, ordering: .sequentiallyConsistent).newValue == 0
        if isLast, isClosing.load(ordering: .sequentiallyConsistent) { sendLast() }
    }

    private func exportSpans() async {
        while true {
            let (batch, written) = take()
            if batch.isEmpty { return }
            await write(Array(batch.dropFirst(written)))
            guard settings.endpoint != nil else { continue }
            if !isPaused, await send(otlp.spans(batch), to: "/v1/traces") { continue }
            putBack(batch)
            return
        }
    }

    private func take() -> (batch: [Span], written: Int) {
        state.withLock { state in
            let batch = Array(state.waiting.prefix(Exporter.batchSize))
            let written = min(state.written, batch.count)
            state.waiting.removeFirst(batch.count)
            state.written -= written
            return (batch, written)
        }
    }

    /// Puts spans back for the next export, before later ones, if there is room. They are in the file already.
    private func putBack(_ batch: [Span]) {
        let lost = state.withLock { state in
            let kept = batch.prefix(max(limit - state.waiting.count, 0))
            state.waiting.insert(contentsOf: kept, at: 0)
            state.written += kept.count
            return batch.count - kept.count
        }
        if lost > 0 { dropped.add(lost) }
    }

    private func write(_ spans: [Span]) async {
        guard let file, !spans.isEmpty else { return }
        await blocking { [host, otlp] in
            if let error = file.append(JSONWriter.write(otlp.spans(spans))) { host.log(.warning, error) }
        }
    }

    // MARK: Metrics

    private func exportMetrics(isLast: Bool = false) async {
        let metrics = host.metrics
        if let path = settings.prometheusPath {
            let target = host.configuredPath(path)
            await blocking { [host] in
                let text = PrometheusText.text(of: metrics)
                do throws(PlugboardError) {
                    // Collectors run as other users.
                    try WholeFile.save(Array(text.utf8), to: target, code: .resources, isPrivate: false)
                } catch {
                    host.log(.warning, error.reason)
                }
            }
        }
        guard hasTarget, !metrics.isEmpty else { return }
        let message = otlp.metrics(metrics, at: host.wallClock, since: began)
        if let file {
            await blocking { [host] in
                if let error = file.append(JSONWriter.write(message)) { host.log(.warning, error) }
            }
        }
        if !isLast, !isPaused { _ = await send(message, to: "/v1/metrics") }
    }

    // MARK: The end

    /// Called when the kernel is being shut down, because it accepts no requests in `stop`. Metrics are sent now, and
    /// spans when the last one has ended. [loop]
    func close() {
        let isStarted = state.withLock { $0.isStarted }
        isClosing.store(true, ordering: .sequentiallyConsistent)
        // A message that is being sent has the time of the last ones.
        host.schedule(after: Exporter.lastTime) { [self] in
            for task in tasks.withLock({ $0 }) { task.cancel() }
        }
        let isLast = active.load(ordering: .sequentiallyConsistent) == 0
        guard isStarted, settings.endpoint != nil, !isPaused else { return }
        sendNow(otlp.metrics(host.metrics, at: host.wallClock, since: began), to: "/v1/metrics")
        if isLast { sendLast() }
    }

    /// Sends the waiting spans, without a second try. [loop]
    private func sendLast() {
        let isFirst = state.withLock { state in
            defer { state.isSent = true }
            return !state.isSent
        }
        guard isFirst, settings.endpoint != nil, !isPaused else { return }
        var sent: [Span] = []
        for _ in 0..<Exporter.lastBatches {
            let start = sent.count
            state.withLock { sent += $0.waiting.dropFirst(start).prefix(Exporter.batchSize) }
            if sent.count > start { sendNow(otlp.spans(Array(sent[start...])), to: "/v1/traces") }
        }
        let rest = state.withLock { state in
            defer { if file == nil { state.waiting = [] } }
            return state.waiting.count - sent.count
        }
        if rest > 0 { dropped.add(rest) }
    }

    /// Writes what waits to the files before the kernel ends.
    func finish() async {
        guard state.withLock({ $0.isStarted }) else { return }
        while true {
            let (batch, written) = take()
            if batch.isEmpty { break }
            await write(Array(batch.dropFirst(written)))
            if file == nil { dropped.add(batch.count) }
        }
        await exportMetrics(isLast: true)
    }

    // MARK: The collector

    /// Returns false if the message is to be sent again.
    private func send(_ message: JSONValue, to path: String) async -> Bool {
        guard let request = request(message, path, within: .seconds(10)) else { return true }
        do {
            let response = try await host.send(request, for: nil, isDetached: true)
            let status = response.head.status
            _ = try await response.collect(upTo: .mebibytes(1))
            if (200...299).contains(status) { return true }
            // By OTLP/HTTP, only messages with these statuses may be sent again.
            let isPostponed = [429, 502, 503, 504].contains(status)
            if isPostponed, let wait = response.head.fields["Retry-After"].flatMap({ delay(of: $0) }) {
                state.withLock { $0.pausedUntil = host.now + wait }
            }
            failed.add()
            if isPostponed { return false }
            host.log(.warning, "The collector \(Printable.url(request.url)) refused telemetry with \(status).")
            return true
        } catch {
            failed.add()
            return false
        }
    }

    /// Whether the collector has asked for no message now.
    private var isPaused: Bool { state.withLock { $0.pausedUntil } > host.now }

    /// What Retry-After says (RFC 9110 §10.2.3), an hour at most; nil for another text.
    private func delay(of text: String) -> Duration? {
        let now = HTTPDate(seconds: host.wallClock.components.seconds)
        let seconds = Int64(text) ?? HTTPDate(text, now: now).map { $0.seconds - now.seconds }
        return seconds.map { .seconds(min(max($0, 0), 3600)) }
    }

    private func sendNow(_ message: JSONValue, to path: String) {
        guard let request = request(message, path, within: Exporter.lastTime) else { return }
        host.send(request, for: nil, isDetached: true) { [failed] result in
            if case .success(let response) = result, (200...299).contains(response.head.status) { return }
            failed.add()
        }
    }

    /// Nil without a collector.
    private func request(_ message: JSONValue, _ path: String, within limit: Duration) -> Request? {
        guard let endpoint = settings.endpoint else { return nil }
        let base = endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint
        var request = Request(.post, base + path, body: .bytes(JSONWriter.write(message) as [UInt8]))
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
            // The kernel ends, and `stop` may block.
            if !isRun {
                work()
                continuation.resume()
            }
        }
    }
}
