import Plugboard
import PlugboardJSON

extension Explanation {
    /// The trace in the JSON object format of "Trace Event Format", which Perfetto and browsers open. Each exchange is
    /// a process, with a track for each plugin and one for the transport. A sub-request has one more track, with a
    /// slice for the whole; an arrow leads to it from the call that sent it. Times are microseconds.
    var chromeTrace: JSONValue {
        var drawing = ChromeTrace(plugins: plugins.map(\.id), url: "\(method) \(url)")
        for step in steps { drawing.add(step) }
        return ["traceEvents": .array(drawing.finished(at: took)), "displayTimeUnit": "ms"]
    }
}

/// Builds the events of a trace.
private struct ChromeTrace {
    /// The row of an event: the exchange is the process, the track is the thread.
    private struct Lane: Hashable {
        let exchange: Int
        let track: Int
    }

    private let plugins: [String]
    private var names: [Int: String]
    private var lanes: Set<Lane> = []
    private var events: [JSONValue] = []
    private var attempts: [Lane: [Int64: Int64]] = [:]
    /// Sub-requests in progress, with the times at which they began.
    private var open: [Int: (request: TracedSubRequest, at: Int64)] = [:]
    private var calls: [Int: (lane: Lane, at: Int64, end: Int64)] = [:]

    init(plugins: [String], url: String) {
        self.plugins = plugins
        names = [0: url]
        lanes = Set((0...plugins.count).map { Lane(exchange: 0, track: $0) })
    }

    mutating func add(_ step: Explanation.Step) {
        let transport = Lane(exchange: step.exchange, track: 0)
        switch step.kind {
        case .subRequest(let request):
            names[step.exchange] = "sub-request \(step.exchange) of \(request.plugin)"
            open[step.exchange] = (request, step.at)
        case .call(let call):
            let lane = lane(step.exchange, call.plugin)
            calls[call.number] = (lane, step.at, step.at + call.took.nanoseconds)
            slice(
                call.hook, lane, step.at, call.took.nanoseconds,
                [
                    ("plugin", .string(call.plugin)), ("verdict", .string(call.verdict)),
                    ("changed", .array(call.edits.map { .string($0) })),
                ])
        case .attemptBegan(let number): attempts[transport, default: [:]][number] = step.at
        case .attemptEnded(let number, let steps):
            let began = attempts[transport]?[number] ?? step.at
            slice("attempt \(number)", transport, began, step.at - began, [])
            // Times count from the beginning of the attempt; a step ends where the next begins.
            var last: Int64 = 0
            for (name, end) in steps where end > last {
                slice(name, transport, began + last, end - last, [])
                last = end
            }
        case .fact(let name, let details, _):
            // Ids can contain dots, so the longest matching id.
            let owner = plugins.filter { name.hasPrefix("\($0).") }.max { $0.utf8.count < $1.utf8.count }
            event(
                "i", name, owner.map { lane(step.exchange, $0) } ?? transport,
                [
                    ("ts", ChromeTrace.microseconds(step.at)), ("s", "t"),
                    ("args", .object(JSONObject(details.map { ($0.key, Explanation.json($0.value)) }))),
                ])
        case .completed(let outcome, _): close(step.exchange, at: step.at, outcome)
        }
    }

    /// All events, with the names of processes and tracks first.
    mutating func finished(at end: Int64) -> [JSONValue] {
        for exchange in open.keys.sorted() { close(exchange, at: end, "in progress") }
        let all = events
        events = []
        for (exchange, name) in names.sorted(by: { $0.key < $1.key }) {
            event("M", "process_name", Lane(exchange: exchange, track: 0), [("args", ["name": .string(name)])])
            for lane in lanes.filter({ $0.exchange == exchange }).sorted(by: { $0.track < $1.track }) {
                event("M", "thread_name", lane, [("args", ["name": .string(track(lane.track))])])
            }
        }
        return events + all
    }

    private mutating func close(_ exchange: Int, at end: Int64, _ outcome: String) {
        guard let (request, began) = open.removeValue(forKey: exchange) else { return }
        let whole = Lane(exchange: exchange, track: plugins.count + 1)
        slice(
            "\(request.method) \(request.url)", whole, began, max(end - began, 0),
            [("outcome", .string(outcome)), ("detached", .bool(request.isDetached))])
        guard let call = request.call.flatMap({ calls[$0] }) else { return }
        // An arrow must begin within its slice, but a plugin can send a sub-request after its hook has returned.
        let start = max(call.at, min(call.end, began))
        let id = ("id", JSONValue.number(JSONNumber(exchange)))
        event("s", "asks", call.lane, [("cat", "sub-request"), id, ("ts", ChromeTrace.microseconds(start))])
        event(
            "f", "asks", whole, [("cat", "sub-request"), id, ("bp", "e"), ("ts", ChromeTrace.microseconds(began))])
    }

    private func lane(_ exchange: Int, _ plugin: String) -> Lane {
        Lane(exchange: exchange, track: plugins.firstIndex(of: plugin).map { $0 + 1 } ?? 0)
    }

    private func track(_ number: Int) -> String {
        if number == 0 { return "transport" }
        return number <= plugins.count ? plugins[number - 1] : "whole"
    }

    private mutating func slice(
        _ name: String, _ lane: Lane, _ at: Int64, _ nanoseconds: Int64, _ arguments: [(String, JSONValue)]
    ) {
        event(
            "X", name, lane,
            [
                ("ts", ChromeTrace.microseconds(at)), ("dur", ChromeTrace.microseconds(nanoseconds)),
                ("args", .object(JSONObject(arguments))),
            ])
    }

    private mutating func event(_ phase: String, _ name: String, _ lane: Lane, _ members: [(String, JSONValue)]) {
        lanes.insert(lane)
        events.append(
            .object(
                JSONObject(
                    [
                        ("ph", .string(phase)), ("name", .string(name)),
                        ("pid", .number(JSONNumber(lane.exchange + 1))), ("tid", .number(JSONNumber(lane.track))),
                    ] + members)))
    }

    /// Microseconds with three decimals.
    private static func microseconds(_ nanoseconds: Int64) -> JSONValue {
        let rest = "\(1000 + nanoseconds.magnitude % 1000)".dropFirst()
        let text = "\(nanoseconds < 0 ? "-" : "")\(nanoseconds.magnitude / 1000).\(rest)"
        return JSONNumber(text: text).map { .number($0) } ?? 0
    }
}
