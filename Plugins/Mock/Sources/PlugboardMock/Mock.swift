import PlugboardKit
import PlugboardMockOptions
import Synchronization

/// Responds in place of the network, by rules or from a HAR file. Delays and slows other requests.
///
/// It is the innermost plugin: all others see its responses as they see those of a server.
struct Mock: Plugin {
    static let manifest = Manifest(
        id: "mock", version: "1.0.0", documentation: "Responds in place of the network, by rules.",
        priority: 980, hooks: [.request, .response], attributes: MockAttributes.definitions,
        commands: [
            CommandDefinition(
                "check", "Reads a file of rules, and shows their number.",
                arguments: #"{"path": "the file"}"#, isQuiet: true),
            CommandDefinition("report", "Shows how often each rule has responded, and which never has.", isQuiet: true),
        ])

    typealias Settings = MockSettings

    private let settings: Settings
    private let host: PluginHost
    private let table: RuleTable

    init(settings: Settings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
        var rules: [Rule] = []
        if let path = settings.rules { rules += try RuleFile(host.configuredPath(path)).rules() }
        if let path = settings.har { rules += try HARRules.rules(host.configuredPath(path)) }
        table = RuleTable(rules, seed: UInt64(bitPattern: Int64(settings.seed)))
    }

    func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict {
        if exchange.visit == .deadline {
            guard let chosen = exchange.turnState as? Chosen else { return .next }
            return verdict(chosen.response?.outcome, exchange)
        }
        let request = exchange.request
        var mocked = MockedRequest(
            method: request.method.name, url: request.withURL { Array($0) }, fields: request.fields)
        if exchange.visit == .first, table.comparesBody(of: mocked) { return .hold(upTo: settings.bodyLimit) }
        if exchange.visit == .held { mocked.json = exchange.withHeldBody { try? JSONParser.parse($0) } }
        let found = table.choose(mocked)
        if found.response == nil, settings.unmatched == .fail {
            let nearest = found.nearest.map { " The nearest is \($0)." } ?? " There are no rules."
            return .fail(
                PlugboardError(
                    .mockUnmatched,
                    "No rule of mock matches \(request.method.name) \(Printable.url(request.url)).\(nearest) "
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
            return .respond(head, body.isEmpty ? nil : Body(MockBody(body, bytesPerSecond: rate, host)))
        }
    }

    func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict {
        if let rate = exchange[MockAttributes.keys.rate] {
            exchange.wrapResponseBody { ThrottledBody($0, bytesPerSecond: rate.bytes, host) }
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
            reply.json(["rules": .number(JSONNumber(try RuleFile(path).rules().count))])
        } catch {
            reply.fail(error)
        }
    }

    /// The response that is given after the delay.
    private final class Chosen {
        let response: MockResponse?
        init(_ response: MockResponse?) { self.response = response }
    }
}

/// The rules, and how often each has responded.
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

    /// Whether a rule that compares bodies matches the rest of the request.
    func comparesBody(of request: MockedRequest) -> Bool {
        rules.contains { $0.body != nil && $0.mismatch(request, includingBody: false) == nil }
    }

    /// The response of the first rule that matches the request; otherwise the nearest rule, and why it does not match.
    func choose(_ request: MockedRequest) -> (response: MockResponse?, nearest: String?) {
        var nearest: (index: Int, mismatch: Rule.Mismatch)?
        for (index, rule) in rules.enumerated() {
            var mismatch = rule.mismatch(request)
            if mismatch == nil {
                switch use(index) {
                case .success(let response): return (response, nil)
                case .failure(let reason): mismatch = reason.mismatch
                }
            }
            if let mismatch, mismatch > nearest?.mismatch ?? .method || nearest == nil { nearest = (index, mismatch) }
        }
        return (nil, nearest.map { "\(Printable.text(rules[$0.index].name)): \(rules[$0.index].reason($0.mismatch))" })
    }

    private struct Unused: Error { let mismatch: Rule.Mismatch }

    private func use(_ index: Int) -> Result<MockResponse, Unused> {
        let rule = rules[index]
        return state.withLock { state in
            if let times = rule.times, state.uses[index] >= times { return .failure(Unused(mismatch: .times)) }
            if rule.probability < 100, state.random.percent() >= rule.probability {
                return .failure(Unused(mismatch: .probability))
            }
            defer { state.uses[index] += 1 }
            return .success(rule.responses[min(state.uses[index], rule.responses.count - 1)])
        }
    }

    var report: JSONValue {
        let uses = state.withLock { $0.uses }
        let lines = zip(rules, uses).map { rule, count -> JSONValue in
            ["rule": .string(rule.name), "responses": .number(JSONNumber(count))]
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
