import PlugboardCore
import PlugboardJSON
import PlugboardKit
import PlugboardSystem

/// What the socket says, as JSON without secrets: URLs have lost user and the values of their queries.
enum ControlText {
    static func line(_ members: JSONObject) -> [UInt8] { JSONWriter.write(.object(members)) + [0x0A] }

    static func error(_ error: PlugboardError) -> JSONValue {
        var object: JSONObject = ["code": .string(error.code.name), "reason": .string(Printable.text(error.reason))]
        if let plugin = error.plugin { object["plugin"] = .string(plugin) }
        return .object(object)
    }

    static func exchange(_ exchange: ObservedExchange) -> JSONValue {
        var object: JSONObject = [
            "id": .number(JSONNumber(exchange.id)), "method": .string(exchange.method.name),
            "url": .string(exchange.url), "milliseconds": milliseconds(exchange.duration),
            "attempts": .number(JSONNumber(exchange.attempts)),
        ]
        if let status = exchange.status { object["status"] = .number(JSONNumber(status)) }
        if let error = exchange.error { object["error"] = .string(error.name) }
        if let tag = exchange.tag { object["tag"] = .string(Printable.text(tag)) }
        if let trace = exchange.trace { object["trace"] = .string(trace) }
        if let sender = exchange.sender { object["sender"] = .string(sender) }
        if exchange.isSuspended { object["suspended"] = true }
        return .object(object)
    }

    static func event(
        _ id: String, _ details: [String: ObservedEvent.Detail], _ status: Int?, _ exchange: ObservedExchange?,
        at time: Int64
    ) -> JSONObject {
        var object: JSONObject = ["event": .string(id), "at": seconds(time)]
        if let exchange { object["exchange"] = self.exchange(exchange) }
        if let status { object["status"] = .number(JSONNumber(status)) }
        if !details.isEmpty {
            object["details"] = .object(
                JSONObject(details.sorted { $0.key < $1.key }.map { ($0.key, detail($0.value)) }))
        }
        return object
    }

    private static func detail(_ detail: ObservedEvent.Detail) -> JSONValue {
        switch detail {
        case .integer(let number): .number(JSONNumber(number))
        // A plugin may tell of a URL as it is.
        case .text(let text):
            .string(text.contains("?") || text.contains("@") ? Printable.url(text) : Printable.text(text))
        }
    }

    static func metric(_ metric: Metric) -> JSONValue {
        var object: JSONObject = [
            "name": .string(metric.name), "kind": .string("\(metric.kind)"),
            "value": .number(JSONNumber(metric.value)),
        ]
        if !metric.labels.isEmpty {
            object["labels"] = .object(JSONObject(metric.labels.map { ($0.name, .string($0.value)) }))
        }
        if metric.kind == .histogram {
            object["bounds"] = .array(metric.bounds.map { .number(JSONNumber($0)) })
            object["counts"] = .array(metric.counts.map { .number(JSONNumber($0)) })
        }
        return .object(object)
    }

    static func plugin(_ plugin: EnabledPlugin) -> JSONValue {
        [
            "id": .string(plugin.id), "priority": .number(JSONNumber(plugin.priority)),
            "enabled": .bool(!plugin.isSwitchedOff && plugin.disabled == nil),
            "commands": .array(plugin.descriptor.commands.map { .string($0.name) }),
        ]
    }

    static func milliseconds(_ duration: Duration) -> JSONValue {
        .number(JSONNumber((duration / .milliseconds(1) * 10).rounded() / 10) ?? 0)
    }

    private static func seconds(_ nanoseconds: Int64) -> JSONValue {
        .number(JSONNumber((Double(nanoseconds) / 1e6).rounded() / 1e3) ?? 0)
    }
}
