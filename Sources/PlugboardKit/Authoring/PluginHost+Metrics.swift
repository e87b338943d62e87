import CPlugboard

extension PluginHost {
    /// A counter, which operators read as `ID.name`. Equal names and labels give the same counter. A plugin has at
    /// most 2000 metrics; further ones count nothing, and neither does a name that already has another kind.
    public func counter(_ name: String, _ labels: [String: String] = [:]) -> Counter {
        Counter(number: metric(.counter, name, labels, []), host: self)
    }

    /// A gauge, with the same rules as `counter`.
    public func gauge(_ name: String, _ labels: [String: String] = [:]) -> Gauge {
        Gauge(number: metric(.gauge, name, labels, []), host: self)
    }

    /// A histogram, with the same rules as `counter`.
    ///
    /// - Parameter bounds: 1 to 64 rising numbers. A value counts at the first bound that is not smaller than it.
    public func histogram(_ name: String, _ labels: [String: String] = [:], bounds: [Int64]) -> Histogram {
        Histogram(number: metric(.histogram, name, labels, bounds), host: self)
    }

    /// The current metrics of all plugins and of the kernel, in the order of their names, for exporters.
    public var metrics: [Metric] {
        var metrics: [Metric] = []
        withUnsafeMutablePointer(to: &metrics) { metrics in
            raw.pointee.read_metrics(raw, metrics) { context, metric in
                guard let context, let metric = metric.flatMap({ Metric($0.pointee) }) else { return }
                context.assumingMemoryBound(to: [Metric].self).pointee.append(metric)
            }
        }
        return metrics
    }

    private func metric(
        _ kind: Metric.Kind, _ name: String, _ labels: [String: String], _ bounds: [Int64]
    ) -> plug_metric {
        var fields = Fields()
        for (name, value) in labels.sorted(by: { $0.key < $1.key }) { fields.append(FieldName(name), value) }
        return withText(name) { name in
            withCFields(fields) { fields, count in
                bounds.withUnsafeBufferPointer { bounds in
                    raw.pointee.metric(
                        raw, kind.rawValue, name, fields, count, bounds.baseAddress, UInt64(bounds.count))
                }
            }
        }
    }

    /// A number that only rises. From any thread.
    public struct Counter: Sendable {
        let number: plug_metric
        let host: PluginHost

        /// Adds to the counter.
        public func add(_ delta: Int = 1) { host.raw.pointee.metric_add(host.raw, number, Int64(delta)) }
    }

    /// A number that rises and falls. From any thread.
    public struct Gauge: Sendable {
        let number: plug_metric
        let host: PluginHost

        /// Adds to the gauge.
        public func add(_ delta: Int) { host.raw.pointee.metric_add(host.raw, number, Int64(delta)) }

        /// Sets the gauge.
        public func set(_ value: Int) { host.raw.pointee.metric_set(host.raw, number, Int64(value)) }
    }

    /// Counts how many values are within bounds. From any thread.
    public struct Histogram: Sendable {
        let number: plug_metric
        let host: PluginHost

        /// Counts a value.
        public func observe(_ value: Int64) { host.raw.pointee.metric_observe(host.raw, number, value) }

        /// Counts a time, in nanoseconds.
        public func observe(_ time: Duration) { observe(time.nanoseconds) }
    }
}
