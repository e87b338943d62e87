import PlugboardKit
import PlugboardMockOptions
import Synchronization

/// Answers requests in place of the network, by rules or as a HAR has it; delays and slows others.
///
/// It is the innermost plugin: all others see what it answers as they see what comes from a server.
struct Mock: Plugin {
    static let manifest = Manifest(
        id: "mock", version: "1.0.0", documentation: "Answers requests in place of the network, by rules.",
        priority: 980, hooks: [.request, .response], attributes: MockAttributes.definitions,
        commands: [
            CommandDefinition(
                "check", "Reads a file of rules, and says how many it has.",
                arguments: #"{"path": "the file"}"#, isQuiet: true),
            CommandDefinition("report", "Shows how often each rule has answered, and which never has.", isQuiet: true),
        ])

    typealias Settings = MockSettings

    private let settings: Settings
    private let host: PluginHost
    private let table: RuleTable
    private let comparesBodies: Bool

    init(settings: Settings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
        var rules: [Rule] = []
        if let path = settings.rules { rules += try RuleFile(host.configuredPath(path)).rules() }
        if let path = settings.har { rules += try HARRules.rules(host.configuredPath(path)) }
        comparesBodies = rules.contains { $0.body != nil }
        table = RuleTable(rules, seed: UInt64(bitPattern: Int64(settings.seed)))
    }

    func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict {
        if exchange.visit == .deadline {
            guard let chosen = exchange.turnState as? Chosen else { return .next }
            return verdict(chosen.response?.outcome, exchange)
        }
        let request = exchange.request
        if comparesBodies, exchange.visit == .first { return .hold(upTo: settings.bodyLimit) }
        let json = exchange.visit == .held ? exchange.withHeldBody { try? JSONParser.parse($0) } : nil
        let found = table.choose(
            MockedRequest(method: request.method.name, url: request.url, fields: request.fields, json: json))
        if found.response == nil, settings.unmatched == .fail {
            let nearest = found.nearest.map { " The nearest is \($0)." } ?? " There are no rules."
            return .fail(
                PlugboardError(
                    .mockUnmatched,
                    "No rule of the plugin mock is for \(request.method.name) \(Printable.url(request.url)).\(nearest) "
                        + "Add a rule, or set unmatched to pass."))
        }
        let delay = (found.response?.delay ?? .zero) + (exchange[MockAttributes.keys.latency] ?? .zero)
        guard delay > .zero else { return verdict(found.response?.outcome, exchange) }
        exchange.turnState = Chosen(found.response)
        return .wait(exchange.ticket(within: delay))
    }

    /// - Parameter outcome: Nil for a request that passes to the network.
    private func verdict(_ outcome: MockResponse.Outcome?, _ exchange: borrowing Exchange) -> RequestVerdict {
        switch outcome {
        case nil: return .next
        case .failure(let code, let reason): return .fail(PlugboardError(.init(code), reason))
        case .response(let status, let fields, let body):
            let head = ResponseHead(status: status, fields: fields)
            let rate = exchange[MockAttributes.keys.rate]?.bytes
            let steps = rate.map { MockBody.paced(body, bytesPerSecond: $0) } ?? body
            return .respond(head, body.isEmpty ? nil : Body(MockBody(steps, host)))
        }
    }

    func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict {
        if let rate = exchange[MockAttributes.keys.rate] {
            exchange.wrapResponseBody { ThrottledBody($0, rate.bytes, host) }
        }
        return .next
    }

    func command(_ name: String, _ arguments: JSONValue, _ reply: Reply) {
        guard name == "check" else {
            reply.json(table.report)
            return
        }
        do throws(PlugboardError) {
            guard let path = arguments["path"]?.stringValue else {
                throw PlugboardError(.mockArgument, "check needs path: plugboard mock check path=FILE")
            }
            reply.json(["rules": .number(JSONNumber(try RuleFile(host.configuredPath(path)).rules().count))])
        } catch {
            reply.fail(error)
        }
    }

    /// What is answered after the delay.
    private final class Chosen {
        let response: MockResponse?
        init(_ response: MockResponse?) { self.response = response }
    }
}

/// The rules, and how often each has answered.
final class RuleTable: Sendable {
    private struct State {
        var uses: [Int]
        var random: SeededGenerator
    }

    private let rules: [Rule]
    private let state: Mutex<State>

    init(_ rules: [Rule], seed: UInt64) {
        self.rules = rules
        state = Mutex(State(uses: Array(repeating: 0, count: rules.count), random: SeededGenerator(seed)))
    }

    /// The response of the first rule that is for the request; else the rule that comes nearest, and why it is not.
    func choose(_ request: MockedRequest) -> (response: MockResponse?, nearest: String?) {
        state.withLock { state in
            var nearest: (met: Int, reason: String)?
            for (index, rule) in rules.enumerated() {
                var mismatch = rule.mismatch(request)
                if mismatch == nil, let times = rule.times, state.uses[index] >= times {
                    mismatch = (1_000, "it has answered \(times) times")
                }
                if let mismatch {
                    if mismatch.met >= nearest?.met ?? 0 {
                        nearest = (mismatch.met, "\(Printable.text(rule.name)): \(mismatch.reason)")
                    }
                    continue
                }
                if rule.probability < 100, state.random.percent() >= rule.probability { continue }
                defer { state.uses[index] += 1 }
                return (rule.responses[min(state.uses[index], rule.responses.count - 1)], nil)
            }
            return (nil, nearest?.reason)
        }
    }

    var report: JSONValue {
        let uses = state.withLock { $0.uses }
        let lines = zip(rules, uses).map { rule, count -> JSONValue in
            ["rule": .string(rule.name), "answered": .number(JSONNumber(count))]
        }
        let unused = zip(rules, uses).filter { $0.1 == 0 }.map { JSONValue.string($0.0.name) }
        return ["rules": .array(lines), "unused": .array(unused)]
    }
}

/// SplitMix64: the same numbers for the same seed, on every system.
private struct SeededGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func percent() -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ mixed >> 31) % 100)
    }
}

/// The plugin's entry function, which the kernel calls whether the plugin is linked or loaded.
@c(mock_LTX_plugboard_plugin)
public func mockPlugin() -> UnsafePointer<plug_plugin_v1> { Mock.descriptor }
