import CPlugboard
import PlugboardBorder

extension HostTable {
    static func setMetrics(_ table: inout plug_host_v1) {
        table.counter = { host, name in metric(host, PLUG_METRIC_COUNTER, name, nil, 0, nil, 0) }
        table.metric = { metric($0, $1, $2, $3, $4, $5, $6) }
        table.metric_add = { host, number, delta in
            _ = HostContext.withCore(host) { $0.metrics.add(delta, to: number) }
        }
        table.metric_set = { host, number, value in
            _ = HostContext.withCore(host) { $0.metrics.set(number, to: value) }
        }
        table.metric_observe = { host, number, value in
            _ = HostContext.withCore(host) { $0.metrics.observe(value, in: number) }
        }
        table.read_metrics = { host, context, read in
            guard let read, let core = HostContext.from(host)?.core else { return }
            for metric in core.metrics.all { metric.withView { read(context, $0) } }
        }
    }
}

private func metric(
    _ host: UnsafePointer<plug_host_v1>?, _ kind: plug_metric_kind, _ name: plug_text,
    _ labels: UnsafePointer<plug_field>?, _ labelCount: UInt64, _ bounds: UnsafePointer<Int64>?, _ boundCount: UInt64
) -> plug_metric {
    guard let host = HostContext.from(host), let core = host.core, let kind = Metric.Kind(rawValue: kind),
        isName(name.buffer), areReadable(labels, labelCount), bounds != nil || boundCount == 0
    else { return 0 }
    let fields = UnsafeBufferPointer(start: labels, count: Int(clamping: labelCount))
    guard fields.allSatisfy({ isName($0.name.buffer) && ($0.value.count == 0 || isName($0.value.buffer)) }) else {
        return 0
    }
    let named = fields.map { Metric.Label($0.name.string, $0.value.string) }.sorted()
    let limits = Array(UnsafeBufferPointer(start: bounds, count: Int(clamping: boundCount)))
    guard Set(named.map(\.name)).count == named.count,
        kind == .histogram ? (1...64).contains(limits.count) && isRising(limits) : limits.isEmpty
    else { return 0 }
    return core.metrics.number(
        of: "\(host.id).\(name.string)", kind, labels: named, bounds: limits, owner: host.id)
}

private func isRising(_ bounds: [Int64]) -> Bool { zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 } }

extension Metric {
    /// Calls a function with the metric as C sees it, which is valid until the function returns.
    fileprivate func withView(_ read: (UnsafePointer<plug_metric_v1>) -> Void) {
        let scratch = Scratch()
        let fields = labels.map { plug_field(name: scratch.text($0.name), value: scratch.text($0.value)) }
        fields.withUnsafeBufferPointer { fields in
            bounds.withUnsafeBufferPointer { bounds in
                counts.withUnsafeBufferPointer { counts in
                    var view = plug_metric_v1(
                        name: scratch.text(name), labels: fields.baseAddress, label_count: UInt64(fields.count),
                        kind: kind.rawValue, reserved: 0, value: value, bounds: bounds.baseAddress,
                        bound_count: UInt64(bounds.count), counts: counts.baseAddress)
                    read(&view)
                }
            }
        }
        withExtendedLifetime(scratch) {}
    }
}
