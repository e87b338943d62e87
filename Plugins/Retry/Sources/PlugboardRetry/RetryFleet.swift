import PlugboardKit
import PlugboardRetryOptions
import PlugboardStore
import Synchronization

/// What a fleet has in its store: for each origin, how many repetitions it took lately, and how many processes opened
/// their circuits lately. Both are numbers that the engine ends. Called from any thread.
final class RetryFleet: Sendable {
    private struct State {
        /// Nil without a store, and from `stop` on, because the plugin that provides it is destroyed later.
        var store: Store?
        var watch: StoreWatch?
        /// What the keys of origins begin with.
        var names: [Origin: String] = [:]
        /// No circuit is read before this time.
        var nextLook = Duration.zero
    }

    /// The longest time for which the store is asked, and for which it is not asked after it has failed.
    static let (patience, pause) = (Duration.milliseconds(50), Duration.seconds(1))
    /// Further origins have circuits of this process alone.
    private static let originLimit = 400

    private let settings: RetrySettings
    private let host: PluginHost
    private let state = Mutex(State())

    init(_ settings: RetrySettings, _ host: PluginHost) { (self.settings, self.host) = (settings, host) }

    /// - Parameter opened: Called for an origin whose circuit enough processes have opened.
    func start(_ store: Store, opened: @escaping @Sendable (Origin) -> Void) {
        state.withLock { $0.store = store }
        guard settings.circuitBreaker else { return }
        let watch = store.watch { [weak self] key in
            guard let self else { return }
            let all = state.withLock { $0.names }
            for (origin, name) in all where key == nil || key == "\(name)/open" { read(name, origin, opened) }
        }
        state.withLock { $0.watch = watch }
    }

    func stop() {
        state.withLock { state in
            if let watch = state.watch { state.store?.unwatch(watch) }
            (state.store, state.watch) = (nil, nil)
        }
    }

    // MARK: Budgets

    /// Takes tokens of an origin's budget; those that are left if there are fewer. Nil where the store fails.
    ///
    /// The budget's size is given anew when the time has passed in which it fills.
    func take(_ count: Int, for origin: Origin) async -> Int? {
        let (size, perSecond) = (settings.budgetSize, settings.budgetPerSecond)
        // The longest time of the store.
        let longest = Duration.seconds(30 * 86_400)
        let time = perSecond == 0 ? longest : min(.seconds(size) / perSecond, longest)
        let key = "\(name(of: origin))/\(size)-\(perSecond)"
        let command = StoreCommand.add(key, Int64(count), timeToLive: max(time, .milliseconds(1)))
        let result = await withCheckedContinuation { continuation in
            perform(command) { continuation.resume(returning: $0) }
        }
        guard case .success(let reply) = result, reply.number >= count else { return nil }
        return max(0, min(count, size - Int(clamping: reply.number) + count))
    }

    // MARK: Circuits

    /// Reads whether other processes opened an origin's circuit, at its first request and when that changes.
    func look(at origin: Origin, opened: @escaping @Sendable (Origin) -> Void) {
        let now = host.now
        let isNew = state.withLock { state in
            state.watch != nil && now >= state.nextLook && state.names[origin] == nil
                && state.names.count < RetryFleet.originLimit
        }
        guard isNew else { return }
        let name = name(of: origin)
        state.withLock { $0.names[origin] = name }
        read(name, origin, opened)
    }

    private func read(_ name: String, _ origin: Origin, _ opened: @escaping @Sendable (Origin) -> Void) {
        let watch = state.withLock { $0.watch }
        perform(.get(["\(name)/open"], watch: watch)) { [self] result in
            switch result {
            case .success(let reply):
                let peers = reply.values.first.flatMap { $0.flatMap { Int($0.text) } } ?? 0
                if peers >= settings.circuitPeers { opened(origin) }
            case .failure:
                let now = host.now
                state.withLock { state in
                    (state.names[origin], state.nextLook) = (nil, now + RetryFleet.pause)
                }
            }
        }
    }

    /// Tells the fleet that this process has opened its circuit of an origin.
    func report(_ change: CircuitBreaker.Change?, of origin: Origin) {
        guard change == .opened else { return }
        // Gone before the circuit can be opened again, so that no process counts twice.
        let time = max(settings.circuitOpenTime * 7 / 8, .milliseconds(1))
        perform(.add("\(name(of: origin))/open", 1, timeToLive: time))
    }

    /// Forgets the budgets and circuits of these origins for the whole fleet.
    func forget(_ origins: [Origin]) {
        let numbers = "\(settings.budgetSize)-\(settings.budgetPerSecond)"
        let keys = origins.prefix(RetryFleet.originLimit).map { name(of: $0) }.flatMap {
            ["\($0)/open", "\($0)/\(numbers)"]
        }
        if !keys.isEmpty { perform(.remove(keys)) }
    }

    // MARK: The store

    /// Processes that reach the origin by another route, or trust it in another way, have other names.
    private func name(of origin: Origin) -> String {
        if let name = state.withLock({ $0.names[origin] }) { return name }
        let route = host.route(of: Request(.get, "\(origin)/"))
        return "retry/1/\(Bytes("\(origin)\n\(route.text)\n\(route.isVerified)").sha256)"
    }

    private func perform(
        _ command: StoreCommand, _ done: @escaping @Sendable (Result<StoreReply, StoreFailure>) -> Void = { _ in }
    ) {
        // Called under the lock: no reply comes within a call.
        let isAsked = state.withLock { state in
            state.store?.perform(command, within: RetryFleet.patience, done)
            return state.store != nil
        }
        if !isAsked { done(.failure(StoreFailure(.down, "There is no store."))) }
    }
}
