import PlugboardEventLoop
import PlugboardKit
import PlugboardTesting
import PlugboardTransport
import Synchronization

/// A transport without a network: each attempt gets the outcome of the plan whose number is in its URL.
final class PlannedTransport: Transport {
    private struct State {
        var plans: [Int: Plan] = [:]
        /// The plans that have a URL of their own.
        var numbers: [String: Int] = [:]
        var attempts: [Int: Int] = [:]
        var sent: [Int: Digest] = [:]
        var last = 0
        /// How many responses are held back before they are delivered.
        var gathering = 0
        var gathered: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    static let host = "check.example"

    /// Adds a plan, and returns its number.
    func add(_ plan: Plan) -> Int {
        state.withLock { state in
            state.last += 1
            state.plans[state.last] = plan
            if let url = plan.url { state.numbers[url] = state.last }
            return state.last
        }
    }

    /// The URL of a plan.
    static func url(_ number: Int, _ plan: Plan) -> String {
        plan.url ?? "http://\(host)/\(number)\(plan.path)"
    }

    /// Forgets a plan, and returns what was sent with the last of its attempts.
    func remove(_ number: Int) -> Digest? {
        state.withLock { state in
            if let url = state.plans.removeValue(forKey: number)?.url { state.numbers[url] = nil }
            state.attempts[number] = nil
            return state.sent.removeValue(forKey: number)
        }
    }

    /// Starts again with a plan's first outcome, and returns what was sent with the last of its attempts.
    func restart(_ number: Int) -> Digest? {
        state.withLock { state in
            state.attempts[number] = nil
            return state.sent.removeValue(forKey: number)
        }
    }

    /// Holds responses back until there are `count`, and then delivers them in reverse order.
    func gather(_ count: Int) { state.withLock { $0.gathering = count } }

    /// Delivers the responses that were held back, and holds back no more.
    func disperse() {
        let responses = state.withLock { state in
            defer { (state.gathered, state.gathering) = ([], 0) }
            return state.gathered
        }
        for response in responses.reversed() { response() }
    }

    func perform(_ attempt: AttemptRequest, observer: any AttemptObserver, loop: EventLoop) -> any Attempt {
        let (number, plan, attempts) = state.withLock { state in
            let number = state.numbers[attempt.url] ?? PlannedTransport.number(in: attempt.url)
            state.attempts[number, default: 0] += 1
            return (number, state.plans[number], state.attempts[number] ?? 1)
        }
        let outcomes = plan?.outcomes ?? [.head(200, ["content-type": "application/json"], PlannedBody(Bytes("{}")))]
        let outcome = outcomes.isEmpty ? Plan.Outcome.silence : outcomes[min(attempts, outcomes.count) - 1]
        let running = ScriptedAttempt(attempt, observer: observer, loop: loop, isDetailed: true) { sent, complete in
            self.state.withLock { $0.sent[number] = sent.body.map { Digest(of: $0) } }
            self.deliver { complete(outcome.scripted(on: loop)) }
            return {}
        }
        loop.enqueue { running.begin() }
        return running
    }

    func forget() {}
    func shutDown() {}

    private func deliver(_ response: @escaping @Sendable () -> Void) {
        let isKept = state.withLock { state in
            guard state.gathering > 0 else { return false }
            state.gathered.append(response)
            return true
        }
        guard isKept else { return response() }
        let isFull = state.withLock { $0.gathered.count >= $0.gathering }
        if isFull { disperse() }
    }

    /// The number after the host's name, or 0.
    private static func number(in url: String) -> Int {
        let prefix = "http://\(host)/"
        guard url.hasPrefix(prefix) else { return 0 }
        return Int(url.dropFirst(prefix.count).prefix { ("0"..."9").contains($0) }) ?? 0
    }
}

extension Plan.Outcome {
    fileprivate func scripted(on loop: EventLoop) -> ScriptedTransport.Outcome {
        switch self {
        case .silence: .silence
        case .failure(let code): .fail(PlugboardError(code, "The check let the attempt fail."))
        case .head(let status, let fields, let body):
            .respond(ResponseHead(status: status, fields: fields), body.map { Body(PlannedSource($0, loop: loop)) })
        }
    }
}
