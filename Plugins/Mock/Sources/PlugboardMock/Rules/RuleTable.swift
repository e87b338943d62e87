import PlugboardKit
import Synchronization

/// The rules, and how often each has responded.
final class RuleTable: Sendable {
    private struct State {
        var uses: [Int]
        var random: SeededGenerator
    }

    private let rules: [Rule]
    /// The places of rules for one URL, so that a HAR of many entries is as fast as one of few.
    private let places: [[UInt8]: [Int]]
    /// The places of all other rules.
    private let patterns: [Int]
    private let state: Mutex<State>

    init(_ rules: [Rule], seed: UInt64) {
        self.rules = rules
        places = Dictionary(grouping: rules.indices) { rules[$0].url?.literal ?? [] }.filter { !$0.key.isEmpty }
        patterns = rules.indices.filter { rules[$0].url?.literal == nil }
        state = Mutex(State(uses: Array(repeating: 0, count: rules.count), random: SeededGenerator(seed)))
    }

    /// Whether a rule that compares bodies matches the rest of the request.
    func comparesBody(of request: MockedRequest) -> Bool {
        candidates(for: request).contains { place in
            rules[place].body != nil && rules[place].mismatch(request, includingBody: false) == nil
        }
    }

    /// The places of the rules that can match a request's URL, in their order.
    private func candidates(for request: MockedRequest) -> [Int] {
        guard let own = places[request.url] else { return patterns }
        return patterns.isEmpty ? own : (own + patterns).sorted()
    }

    /// The response of the first rule that matches the request.
    func choose(_ request: MockedRequest) -> MockResponse? {
        for place in candidates(for: request) where rules[place].mismatch(request) == nil {
            if let response = use(place) { return response }
        }
        return nil
    }

    /// The rule that comes nearest to a request that none matches, and why it does not match; nil without rules. It
    /// compares all rules.
    ///
    /// Of rules with another method or URL, that is the one whose URL has the longest beginning in common.
    func nearest(to request: MockedRequest) -> String? {
        var nearest: (rule: Rule, shared: Int, mismatch: Rule.Mismatch)?
        for (place, rule) in rules.enumerated() {
            let mismatch = rule.mismatch(request) ?? (isUsedUp(place) ? .times : .probability)
            let shared = mismatch > .url ? .max : rule.sharedURL(request.url)
            if let nearest, (shared, mismatch) <= (nearest.shared, nearest.mismatch) { continue }
            nearest = (rule, shared, mismatch)
        }
        return nearest.map { "\(Printable.text($0.rule.name)): \($0.rule.reason($0.mismatch))" }
    }

    /// Nil if it has responded as often as it may, or if its probability leaves the request out.
    private func use(_ place: Int) -> MockResponse? {
        let rule = rules[place]
        return state.withLock { state in
            if let times = rule.times, state.uses[place] >= times { return nil }
            if rule.probability < 100, state.random.percent() >= rule.probability { return nil }
            defer { state.uses[place] += 1 }
            return rule.responses[min(state.uses[place], rule.responses.count - 1)]
        }
    }

    private func isUsedUp(_ place: Int) -> Bool {
        state.withLock { state in rules[place].times.map { state.uses[place] >= $0 } ?? false }
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
