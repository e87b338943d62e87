import CPlugboard

/// The value of a metric of a plugin or of the kernel, at the time when it was read.
public struct Metric: Sendable, Hashable {
    /// What a metric counts.
    public enum Kind: UInt32, Sendable, CaseIterable {
        /// How often something happened; it only rises.
        case counter = 1
        /// How much of something there is; it rises and falls.
        case gauge
        /// How many values were within each of several bounds.
        case histogram
    }

    /// A name and its value, such as `status` and `2xx`.
    public struct Label: Sendable, Hashable, Comparable {
        /// The name of the label.
        public let name: String
        /// Its value.
        public let value: String

        /// A label.
        public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

        /// Compares the names, then the values.
        public static func < (left: Label, right: Label) -> Bool {
            (left.name, left.value) < (right.name, right.value)
        }
    }

    /// `PLUGIN-ID.name`, or `kernel.name` for the kernel.
    public let name: String
    /// The labels, in the order of their names.
    public let labels: [Label]
    /// The kind of the metric.
    public let kind: Kind
    /// The value of a counter or gauge; the sum of the values of a histogram.
    public let value: Int64
    /// The bounds of a histogram, in rising order.
    public let bounds: [Int64]
    /// For a histogram: the number of values up to each bound and above the previous bound. The last element counts the
    /// values above all bounds.
    public let counts: [UInt64]

    package init(
        name: String, labels: [Label], kind: Kind, value: Int64, bounds: [Int64] = [], counts: [UInt64] = []
    ) {
        (self.name, self.labels, self.kind, self.value) = (name, labels, kind, value)
        (self.bounds, self.counts) = (bounds, counts)
    }

    init?(_ metric: plug_metric_v1) {
        guard let kind = Kind(rawValue: metric.kind) else { return nil }
        func list<Element>(_ start: UnsafePointer<Element>?, _ count: UInt64) -> [Element] {
            Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(clamping: count)))
        }
        self.init(
            name: metric.name.string,
            labels: list(metric.labels, metric.label_count).map { Label($0.name.string, $0.value.string) }, kind: kind,
            value: metric.value, bounds: list(metric.bounds, metric.bound_count),
            counts: kind == .histogram ? list(metric.counts, metric.bound_count + 1) : [])
    }
}

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
