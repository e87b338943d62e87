import Plugboard
import PlugboardJSON

extension Explanation {
    /// The explanation for programs, as `plugboard explain --help` describes it.
    func json(_ absence: Absence) -> JSONValue {
        var object: JSONObject = [
            "method": .string(method), "url": .string(url), "plugins": .array(plugins.map(Explanation.json)),
            "absent": absence.json, "attributes": .array(attributes.map(Explanation.json)),
            "steps": .array(steps.map { .object(Explanation.json($0)) }), "sent": .bool(!wasNotSent),
            "nanoseconds": .number(JSONNumber(took)),
        ]
        if let status {
            object["status"] = .number(JSONNumber(status))
            object["bodyLength"] = .number(JSONNumber(bodyLength))
        }
        if let failure { object["failure"] = ["code": .string(failure.code.name), "reason": .string(failure.reason)] }
        return .object(object)
    }

    private static func json(_ plugin: EnabledPlugin) -> JSONValue {
        var object: JSONObject = [
            "id": .string(plugin.id), "locations": .array(plugin.enabledAt.map { .string($0) }),
        ]
        if case .loaded(let path) = plugin.linkage { object["path"] = .string(path) }
        return .object(object)
    }

    private static func json(_ attribute: Attribute) -> JSONValue {
        var object: JSONObject = [
            "name": .string(attribute.name), "from": .string(attribute.isOfOrigin ? "origin" : "request"),
        ]
        if let value = attribute.value { object["value"] = .string(value) }
        return .object(object)
    }

    private static func json(_ step: Step) -> JSONObject {
        let (name, members) = members(step.kind)
        return JSONObject(
            [
                ("step", .string(name)), ("exchange", .number(JSONNumber(step.exchange))),
                ("at", .number(JSONNumber(step.at))),
            ] + members)
    }

    private static func members(_ kind: Step.Kind) -> (step: String, [(String, JSONValue)]) {
        switch kind {
        case .subRequest(let request):
            (
                "subRequest",
                [
                    ("parent", .number(JSONNumber(request.parent))), ("plugin", .string(request.plugin)),
                    ("call", request.call.map { .number(JSONNumber($0)) } ?? .null),
                    ("method", .string(request.method.name)), ("url", .string(request.url)),
                    ("detached", .bool(request.isDetached)),
                ]
            )
        case .call(let call):
            (
                "call",
                [
                    ("call", .number(JSONNumber(call.number))), ("plugin", .string(call.plugin)),
                    ("hook", .string(call.hook)), ("visit", .string("\(call.visit)")),
                    ("verdict", .string(call.verdict)), ("nanoseconds", .number(JSONNumber(call.took.nanoseconds))),
                    ("changed", .array(call.edits.map { .string($0) })),
                ]
            )
        case .attemptBegan(let number): ("attemptBegan", [("attempt", .number(JSONNumber(number)))])
        case .attemptEnded(let number, let steps):
            (
                "attemptEnded",
                [("attempt", .number(JSONNumber(number)))]
                    + steps.map { ($0.name, .number(JSONNumber($0.nanoseconds))) }
            )
        case .fact(let name, let details, let status):
            (
                "event",
                [("event", .string(name))] + (status.map { [("status", .number(JSONNumber($0)))] } ?? [])
                    + details.sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) }
            )
        case .completed(let outcome, let attempts):
            ("completed", [("outcome", .string(outcome)), ("attempts", .number(JSONNumber(attempts)))])
        }
    }

    static func json(_ detail: ObservedEvent.Detail) -> JSONValue {
        switch detail {
        case .text(let text): .string(text)
        case .integer(let number): .number(JSONNumber(number))
        }
    }
}
