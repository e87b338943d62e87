import JSON
import Plugboard

extension Explanation {
    /// The same for programs; times are nanoseconds since the request was handed to the kernel.
    var json: JSONValue {
        var object: JSONObject = [
            "method": .string(method), "url": .string(url), "plugins": .array(plugins.map { .string($0.id) }),
            "attributes": .array(attributes.map(Explanation.json)), "steps": .array(steps.map(Explanation.json)),
            "sent": .bool(!wasNotSent), "nanoseconds": .number(JSONNumber(took)),
        ]
        if let status {
            object["status"] = .number(JSONNumber(status))
            object["bodyLength"] = .number(JSONNumber(bodyLength))
        }
        if let failure { object["failure"] = ["code": .string(failure.code.name), "reason": .string(failure.reason)] }
        return .object(object)
    }

    private static func json(_ attribute: Attribute) -> JSONValue {
        var object: JSONObject = [
            "name": .string(attribute.name), "from": .string(attribute.isOfOrigin ? "origin" : "request"),
        ]
        if let value = attribute.value { object["value"] = .string(value) }
        return .object(object)
    }

    private static func json(_ step: Step) -> JSONValue {
        switch step {
        case .call(let call, let at):
            [
                "step": "call", "at": .number(JSONNumber(at)), "plugin": .string(call.plugin),
                "hook": .string(call.hook), "visit": .string("\(call.visit)"), "verdict": .string(call.verdict),
                "nanoseconds": .number(JSONNumber(call.took.nanoseconds)),
                "changed": .array(call.edits.map { .string($0) }),
            ]
        case .attemptBegan(let number, let at):
            ["step": "attemptBegan", "at": .number(JSONNumber(at)), "attempt": .number(JSONNumber(number))]
        case .attemptEnded(let number, let at, let steps):
            .object(
                JSONObject(
                    [
                        ("step", "attemptEnded"), ("at", .number(JSONNumber(at))),
                        ("attempt", .number(JSONNumber(number))),
                    ] + steps.map { ($0.name, .number(JSONNumber($0.nanoseconds))) }))
        case .fact(let name, let at, let details, let status):
            .object(
                JSONObject(
                    [("step", "event"), ("at", .number(JSONNumber(at))), ("event", .string(name))]
                        + (status.map { [("status", .number(JSONNumber($0)))] } ?? [])
                        + details.sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) }))
        }
    }

    static func json(_ detail: EventDetail) -> JSONValue {
        switch detail {
        case .text(let text): .string(text)
        case .integer(let number): .number(JSONNumber(number))
        }
    }
}
