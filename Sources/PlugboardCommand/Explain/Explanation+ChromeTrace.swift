import JSON
import Plugboard

extension Explanation {
    /// In the Trace Event Format, which Perfetto and the browsers' own viewers open: a track a plugin, and one for the transport.
    ///
    /// Source: "Trace Event Format", the JSON object format; times are microseconds.
    var chromeTrace: JSONValue {
        var events = tracks.enumerated().map { track, name in
            Explanation.event("M", "thread_name", track, [("args", ["name": .string(name)])])
        }
        var begins: [Int64: Int64] = [:]
        for step in steps {
            switch step {
            case .call(let call, let at):
                events.append(slice(call.hook, track(of: call.plugin), at, call.took.nanoseconds, arguments(call)))
            case .attemptBegan(let number, let at):
                begins[number] = at
            case .attemptEnded(let number, let at, let steps):
                let began = begins[number] ?? at
                events.append(slice("attempt \(number)", 0, began, at - began, []))
                // Each step is counted from the beginning, and is done where the next begins.
                var last: Int64 = 0
                for (name, end) in steps where end > last {
                    events.append(slice(name, 0, began + last, end - last, []))
                    last = end
                }
            case .fact(let name, let at, let details, _):
                let owner = name.contains(".") ? plugins.first { name.hasPrefix("\($0.id).") }?.id : nil
                events.append(
                    Explanation.event(
                        "i", name, owner.map(track) ?? 0,
                        [
                            ("ts", Explanation.microseconds(at)), ("s", "t"),
                            ("args", .object(JSONObject(details.map { ($0.key, Explanation.json($0.value)) }))),
                        ]))
            }
        }
        return ["traceEvents": .array(events), "displayTimeUnit": "ms"]
    }

    private var tracks: [String] { ["transport"] + plugins.map(\.id) }

    private func track(of plugin: String) -> Int { tracks.firstIndex(of: plugin) ?? 0 }

    private func arguments(_ call: HookCall) -> [(String, JSONValue)] {
        [
            ("plugin", .string(call.plugin)), ("verdict", .string(call.verdict)),
            ("changed", .array(call.edits.map { .string($0) })),
        ]
    }

    private func slice(
        _ name: String, _ track: Int, _ at: Int64, _ nanoseconds: Int64, _ arguments: [(String, JSONValue)]
    ) -> JSONValue {
        Explanation.event(
            "X", name, track,
            [
                ("ts", Explanation.microseconds(at)), ("dur", Explanation.microseconds(nanoseconds)),
                ("args", .object(JSONObject(arguments))),
            ])
    }

    private static func event(
        _ phase: String, _ name: String, _ track: Int, _ members: [(String, JSONValue)]
    ) -> JSONValue {
        .object(
            JSONObject(
                [
                    ("ph", .string(phase)), ("name", .string(name)), ("pid", 1),
                    ("tid", .number(JSONNumber(track))),
                ] + members))
    }

    /// With three decimals, exactly.
    private static func microseconds(_ nanoseconds: Int64) -> JSONValue {
        let rest = "\(1000 + nanoseconds.magnitude % 1000)".dropFirst()
        let text = "\(nanoseconds < 0 ? "-" : "")\(nanoseconds.magnitude / 1000).\(rest)"
        return JSONNumber(text: text).map { .number($0) } ?? 0
    }
}
