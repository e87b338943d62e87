#if AllPackages || Metrics
    import CoreMetrics
    import PlugboardCore
    import PlugboardKit
    import PlugboardObserving
    import Synchronization

    /// Reports the metrics of a kernel to a factory of swift-metrics.
    ///
    ///     let metrics = KernelMetrics(of: kernel)
    ///     Task { await metrics.run() }
    ///
    /// Requests are reported as they happen, by OpenTelemetry's names: the timer `http.client.request.duration` and the
    /// meter `http.client.active_requests`, with method, server and status as dimensions. What plugins and the kernel
    /// count is reported by `report`: counters as counters, gauges as meters, and of a histogram the counters
    /// `NAME.count` and `NAME.sum`, because its single values are not kept. The sums of times are nanoseconds, also
    /// under names whose unit is the second elsewhere: `http.client.connection.duration.sum` and
    /// `kernel.connections.waited.sum`.
    public final class KernelMetrics: Sendable {
        private struct Key: Hashable {
            let name: String
            let labels: [Metric.Label]
        }

        private struct State {
            var counters: [Key: (counter: Counter, reported: Int64)] = [:]
            var meters: [Key: Meter] = [:]
        }

        private let factory: any MetricsFactory
        private let kernel: Weak
        private let requests: RequestMetrics
        private let observation: Observation
        private let state = Mutex(State())

        private struct Weak: Sendable { weak let kernel: Kernel? }

        /// Begins to report requests; until it is released.
        public init(of kernel: Kernel, factory: any MetricsFactory = MetricsSystem.factory) {
            self.factory = factory
            self.kernel = Weak(kernel: kernel)
            let requests = RequestMetrics(factory)
            self.requests = requests
            observation = kernel.observe(RequestMetrics.events) { event, exchange in
                if let exchange { requests.take(event, exchange) }
            }
        }

        /// Calls `report` in an interval until the task is cancelled or the kernel is released, and once at the end.
        public func run(every interval: Duration = .seconds(10)) async {
            while kernel.kernel != nil, (try? await Task.sleep(for: interval)) != nil { report() }
            report()
        }

        /// Reports what has changed since the last call.
        public func report() {
            guard let metrics = kernel.kernel?.metrics else { return }
            state.withLock { state in
                // The plugin `telemetry` measures the same requests.
                for metric in metrics where !metric.name.hasPrefix("telemetry.http.") { report(metric, &state) }
            }
        }

        private func report(_ metric: Metric, _ state: inout State) {
            let name = metric.exportedName
            switch metric.kind {
            case .counter: raise(name, metric.labels, to: metric.value, &state)
            case .gauge:
                let key = Key(name: name, labels: metric.labels)
                let meter =
                    state.meters[key]
                    ?? Meter(label: name, dimensions: dimensions(metric.labels), factory: factory)
                state.meters[key] = meter
                meter.set(metric.value)
            case .histogram:
                let count = metric.counts.reduce(0, &+)
                raise("\(name).count", metric.labels, to: Int64(clamping: count), &state)
                raise("\(name).sum", metric.labels, to: metric.value, &state)
            }
        }

        private func raise(_ name: String, _ labels: [Metric.Label], to value: Int64, _ state: inout State) {
            let key = Key(name: name, labels: labels)
            var entry =
                state.counters[key]
                ?? (Counter(label: name, dimensions: dimensions(labels), factory: factory), 0)
            let difference = value.subtractingReportingOverflow(entry.reported).partialValue
            if difference > 0 { entry.counter.increment(by: difference) }
            entry.reported = value
            state.counters[key] = entry
        }

        private func dimensions(_ labels: [Metric.Label]) -> [(String, String)] { labels.map { ($0.name, $0.value) } }
    }
#else
    #error("PlugboardMetrics needs a trait of the package plugboard: .package(…, traits: [\"Metrics\"]).")
#endif
