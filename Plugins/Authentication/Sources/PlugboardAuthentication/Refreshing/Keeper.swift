import PlugboardKit
import Synchronization

/// Keeps the secret of one credential for all exchanges, and lets one of them at a time fetch it. Called from any
/// thread.
final class Keeper: Sendable {
    enum Step {
        case use(String)
        case wait(Flight)
        case fail(PlugboardError)
        case pass
    }

    /// State from one fetch to the next; used by one fetch at a time.
    struct Memory: Sendable {
        /// The files read, by their paths.
        var files: [String: SecretFile] = [:]
        /// A refresh token that the endpoint replaced, and its replacement.
        var replaced: (old: String, new: String)?
    }

    private struct State {
        var life: SecretLife
        var flight: Flight?
        var origins: [String] = []
        var lastUse: Duration
    }

    let credential: Credential
    /// `Exchange.ownRoutes` of the exchanges that a token is used for.
    let routes: String
    /// The inheritance of the first exchange, for requests to the token endpoint.
    let inheritance: Inheritance
    let memory = Mutex(Memory())
    private let state: Mutex<State>

    /// The most origins that `status` lists.
    private static let originLimit = 64

    init(
        _ credential: Credential, by routes: String = "", inheriting inheritance: Inheritance = .nothing,
        pause: Duration, at now: Duration
    ) {
        (self.credential, self.routes, self.inheritance) = (credential, routes, inheritance)
        state = Mutex(State(life: SecretLife(pause: pause), lastUse: now))
    }

    /// Decides for a request to `url` that needs the secret. `fetch` is called, before this returns, with a flight that
    /// it must carry out.
    func demand(for url: String, at now: Duration, fetch: (Flight) -> Void) -> Step {
        decide(fetch) { state in
            state.lastUse = now
            Self.note(url, &state.origins)
            return state.life.demand(at: now)
        }
    }

    /// Decides after a 401 to a request that was sent with `authorization`.
    func reject(_ authorization: String, at now: Duration, fetch: (Flight) -> Void) -> Step {
        decide(fetch) { $0.life.reject(authorization, at: now) }
    }

    /// Decides for a command that asks for a new secret.
    func renew(fetch: (Flight) -> Void) -> Step {
        decide(fetch) { $0.life.renew() }
    }

    /// `SecretLife.unwanted`.
    var unwanted: String? { state.withLock { $0.life.unwanted } }

    /// Ends a flight. `report` runs after the state has changed and before the waiting exchanges continue.
    func finish(
        _ flight: Flight, _ result: Result<SecretLife.Fetched, PlugboardError>, at now: Duration, report: () -> Void
    ) {
        state.withLock { state in
            state.life.finish(result, at: now)
            state.flight = nil
        }
        report()
        flight.end(result.map(\.authorization))
    }

    private func decide(_ fetch: (Flight) -> Void, _ ask: (inout State) -> SecretLife.Decision) -> Step {
        var begun: Flight?
        let step = state.withLock { state -> Step in
            switch ask(&state) {
            case .use(let authorization, let fetches):
                if fetches { begun = Self.begin(&state) }
                return .use(authorization)
            case .fetch:
                let flight = Self.begin(&state)
                begun = flight
                return .wait(flight)
            case .join: return state.flight.map { .wait($0) } ?? .pass
            case .fail(let error): return .fail(error)
            case .pass: return .pass
            }
        }
        // Called without the lock, because the end of the flight takes it.
        if let begun { fetch(begun) }
        return step
    }

    private static func begin(_ state: inout State) -> Flight {
        let flight = Flight()
        state.flight = flight
        return flight
    }

    // MARK: Status

    struct Status: Sendable {
        var origins: [String]
        var condition: SecretLife.Condition
        var isFetching: Bool
        var rest: Duration?
        var lastUse: Duration
    }

    func status(at now: Duration) -> Status {
        state.withLock { state in
            Status(
                origins: state.origins, condition: state.life.condition(at: now), isFetching: state.flight != nil,
                rest: state.life.rest(at: now), lastUse: state.lastUse)
        }
    }

    /// Adds the URL's origin. Most requests go to a known origin, and then nothing is allocated.
    private static func note(_ url: String, _ origins: inout [String]) {
        let isKnown = origins.contains { origin in
            guard url.utf8.starts(with: origin.utf8) else { return false }
            return url.utf8.dropFirst(origin.utf8.count).first.map { "/?#".utf8.contains($0) } ?? true
        }
        guard !isKnown, origins.count < originLimit, let origin = Origin(url: url)?.description,
            !origins.contains(origin)
        else { return }
        origins.append(origin)
    }
}
