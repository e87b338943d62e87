import PlugboardKit

/// Metrics in Prometheus's text format, version 0.0.4. As OpenTelemetry's rules for Prometheus require, characters that
/// names cannot have become `_`, and counters end with `_total`.
public enum PrometheusText {
    /// The whole text.
    public static func text(of metrics: [Metric]) -> String {
        var families: [String: (kind: Metric.Kind, help: String?, lines: String)] = [:]
        for metric in metrics {
            let name = name(of: metric)
            // Two names that differ only in such characters would be one family of two kinds.
            if let kind = families[name]?.kind, kind != metric.kind { continue }
            add(metric, name, to: &families[name, default: (metric.kind, metric.help, "")].lines)
        }
        return families.sorted { $0.key < $1.key }.map { name, family in
            let help = family.help.map { "# HELP \(name) \($0)\n" } ?? ""
            return "\(help)# TYPE \(name) \(family.kind.word)\n\(family.lines)"
        }.joined()
    }

    private static func name(of metric: Metric) -> String {
        var name = escaped(metric.exportedName)
        switch metric.unit {
        case "s": name += "_seconds"
        case "By": name += "_bytes"
        default: break
        }
        return metric.kind == .counter && !name.hasSuffix("_total") ? name + "_total" : name
    }

    private static func add(_ metric: Metric, _ name: String, to lines: inout String) {
        let labels = metric.labels.map { #"\#(escaped($0.name))="\#(quoted($0.value))""# }
        guard metric.kind == .histogram else {
            lines += "\(name)\(set(labels)) \(metric.value)\n"
            return
        }
        var count: UInt64 = 0
        for (index, bucket) in metric.counts.enumerated() {
            count &+= bucket
            let bound = index < metric.bounds.count ? number(metric.bounds[index], metric) : "+Inf"
            lines += "\(name)_bucket\(set(labels + [#"le="\#(bound)""#])) \(count)\n"
        }
        lines += "\(name)_sum\(set(labels)) \(number(metric.value, metric))\n"
        lines += "\(name)_count\(set(labels)) \(count)\n"
    }

    private static func number(_ value: Int64, _ metric: Metric) -> String {
        metric.isTime ? "\(Double(value) / 1e9)" : "\(value)"
    }

    private static func set(_ labels: [String]) -> String {
        labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
    }

    private static func escaped(_ name: String) -> String {
        let safe = String(
            decoding: name.utf8.map { byte in
                let isAllowed =
                    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == UInt8(ascii: "_")
                return isAllowed ? byte : UInt8(ascii: "_")
            }, as: UTF8.self)
        return safe.utf8.first.map { (0x30...0x39).contains($0) } ?? true ? "_\(safe)" : safe
    }

    private static func quoted(_ value: String) -> String {
        var quoted = ""
        for character in value.unicodeScalars {
            switch character {
            case "\\": quoted += "\\\\"
            case "\"": quoted += "\\\""
            case "\n": quoted += "\\n"
            default: quoted.unicodeScalars.append(character)
            }
        }
        return quoted
    }
}

extension Metric.Kind {
    fileprivate var word: String {
        switch self {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
    }
}
