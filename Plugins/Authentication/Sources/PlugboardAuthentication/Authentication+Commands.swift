import PlugboardAuthenticationOptions
import PlugboardJSON
import PlugboardKit
import Synchronization

extension Authentication {
    func command(_ name: String, _ arguments: JSONValue, _ reply: Reply) {
        switch name {
        case "status": reply.json(.object(["credentials": .array(status)]))
        case "refresh": refresh(arguments, reply)
        default: reply.json(.object(["forgotten": .number(JSONNumber(keyring.forget()))]))
        }
    }

    private var status: [JSONValue] {
        let now = host.now
        let all = keyring.all.map { ($0.credential, $0.status(at: now)) }
        return all.sorted { $0.1.origins.joined(separator: " ") < $1.1.origins.joined(separator: " ") }
            .map { credential, status in
                var object: JSONObject = [
                    "origins": .array(status.origins.map { .string($0) }),
                    "scheme": .string(credential.scheme.name.lowercased()),
                    "source": .string(credential.source.name),
                    "condition": .string(status.condition.rawValue),
                    "isFetching": .bool(status.isFetching),
                ]
                if let rest = status.rest { object["expiresIn"] = .string(DurationText(rest).description) }
                return .object(object)
            }
    }

    /// Replies when the last fetch has ended.
    private func refresh(_ arguments: JSONValue, _ reply: Reply) {
        var keepers = keyring.all
        if let text = arguments["origin"]?.stringValue {
            guard let origin = Origin(text)?.description else {
                reply.fail(
                    PlugboardError(
                        .commandFailed, "origin must be scheme://host or scheme://host:port, with nothing after it."))
                return
            }
            keepers.removeAll { !$0.status(at: host.now).origins.contains(origin) }
        }
        let round = Round(count: keepers.count) { failure, count in
            if let failure {
                reply.fail(failure)
            } else {
                reply.json(.object(["refreshed": .number(JSONNumber(count))]))
            }
        }
        for keeper in keepers {
            guard case .wait(let flight) = keeper.renew(fetch: { fetcher.fetch(for: keeper, $0, exchange: 0) }) else {
                round.end(nil)
                continue
            }
            if !flight.whenOver({ round.end(flight.outcome) }) { round.end(flight.outcome) }
        }
    }
}

/// Counts the fetches under way, and calls a closure when all have ended. Called from any thread.
private final class Round: Sendable {
    private struct State {
        var rest: Int
        var failure: PlugboardError?
    }

    private let state: Mutex<State>
    private let count: Int
    private let done: @Sendable (PlugboardError?, Int) -> Void

    /// `done` gets the first failure, if there is one, and the number of fetches.
    init(count: Int, _ done: @escaping @Sendable (PlugboardError?, Int) -> Void) {
        state = Mutex(State(rest: count))
        self.count = count
        self.done = done
        if count == 0 { done(nil, 0) }
    }

    func end(_ outcome: Flight.Outcome?) {
        let failure = state.withLock { state -> PlugboardError?? in
            if case .failure(let error) = outcome { state.failure = state.failure ?? error }
            state.rest -= 1
            return state.rest == 0 ? .some(state.failure) : nil
        }
        if let failure { done(failure, count) }
    }
}
