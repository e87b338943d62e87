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
    /// The number of a histogram's values up to each bound and above the previous bound. The last element counts the
    /// values above all bounds.
    public let counts: [UInt64]

    package init(
        name: String, labels: [Label], kind: Kind, value: Int64, bounds: [Int64] = [], counts: [UInt64] = []
    ) {
        (self.name, self.labels, self.kind, self.value) = (name, labels, kind, value)
        (self.bounds, self.counts) = (bounds, counts)
    }

    package init?(_ metric: plug_metric_v1) {
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
