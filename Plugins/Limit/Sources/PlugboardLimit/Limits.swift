import PlugboardKit
import PlugboardStore
import Synchronization

/// The table that all exchanges share, on all loops, with the timers that it needs.
final class Limits: Sendable {
    private struct State {
        var table: LimitTable
        var store: PortionStore?
        var latest = Int64.min
    }

    private let state: Mutex<State>
    private let hasKeys = Atomic(false)
    private let hasProbes = Atomic(false)
    private let host: PluginHost
    private let alone: PluginHost.Counter

    init(_ rules: [LimitRule], _ settings: LimitSettings, _ host: PluginHost) {
        state = Mutex(State(table: LimitTable(rules, keys: settings.keys, waiters: settings.waiters)))
        (self.host, alone) = (host, host.counter("alone"))
    }

    /// Shares the rates with all processes that use this store. Called before the first request.
    func share(_ store: PortionStore) {
        state.withLock { state in
            state.store = store
            state.table.isShared = true
        }
    }

    /// Gives back what is not used, and what an ask under way takes. The store still works when a plugin that needs it
    /// is stopped.
    func stop() {
        withTable { table, _ in ((), table.endLeases()) }
        let store = state.withLock { state in
            defer { state.store = nil }
            return state.store
        }
        store?.stop()
    }

    /// Whether there is any key. Read without the lock: a request that begins while the first key is made may miss it.
    var isEmpty: Bool { !hasKeys.load(ordering: .relaxed) }

    /// Whether requests wait for the response to another one, which goes ahead after a pause. Read without the lock.
    var waitForHeads: Bool { hasProbes.load(ordering: .relaxed) }

    func enter(_ names: [KeyName], within wait: Duration, isSubrequest: Bool) -> LimitTable.Entry {
        withTable { $0.enter(names, within: wait.nanoseconds, isSubrequest: isSubrequest, at: $1) }
    }

    func setWake(_ admission: Admission, _ wake: @escaping @Sendable () -> Void) {
        withTable { table, _ in ((), table.setWake(admission, wake)) }
    }

    func begin(_ admission: Admission) -> Admission.Step {
        withTable { table, _ in (table.begin(admission), LimitTable.Effects()) }
    }

    func count(_ names: [KeyName]?, of admission: Admission) {
        withTable { ((), $0.count(names, of: admission, at: $1)) }
    }

    func suspend(_ admission: Admission) { withTable { ((), $0.suspend(admission, at: $1)) } }

    func leave(_ admission: Admission) { withTable { ((), $0.leave(admission, at: $1)) } }

    /// Returns the rules whose pause became longer.
    func learn(_ asked: ServerRequest?, _ names: [KeyName], of admission: Admission?) -> [Int] {
        withTable { $0.learn(asked, names, of: admission, at: $1) }
    }

    func forget() { withTable { ((), $0.forget(at: $1)) } }

    func used() -> [LimitTable.Use] { withTable { ($0.used(at: $1), LimitTable.Effects()) } }

    private func withTable<Result: Sendable>(
        _ body: (inout LimitTable, _ now: Int64) -> (Result, LimitTable.Effects)
    ) -> Result {
        let (result, effects, now, store) = state.withLock { state in
            // Loops read the clock at different times; the table's time never goes back.
            state.latest = max(state.latest, host.now.nanoseconds)
            let (result, effects) = body(&state.table, state.latest)
            hasKeys.store(!state.table.isEmpty, ordering: .relaxed)
            hasProbes.store(state.table.probes > 0, ordering: .relaxed)
            return (result, effects, state.latest, state.store)
        }
        if let store, let news = effects.news { report(news, store) }
        for wake in effects.wakes { wake() }
        for (key, time) in effects.timers {
            let timer = host.schedule(after: .nanoseconds(max(time - now, 0))) { [self] in
                withTable { ((), $0.timerFired(key, for: time, at: $1)) }
            }
            state.withLock { _ in key.keep(timer, for: time) }?.cancel()
        }
        guard let store else { return result }
        for (portions, numbers) in effects.unused { store.giveBack(numbers, of: portions.lease) }
        for (portions, count) in effects.wanted { take(count, portions, from: store, at: now) }
        return result
    }

    private func take(_ count: Int, _ portions: LimitTable.Portions, from store: PortionStore, at begin: Int64) {
        let took: @Sendable (Result<PortionStore.Reply, StoreFailure>) -> Void = { [self] result in
            withTable { ((), $0.took(result, portions, from: begin, at: $1)) }
        }
        // A provider that does not keep its time must not hold requests.
        let timer = host.schedule(after: PortionStore.replyLimit) {
            took(.failure(StoreFailure(.late, "There was no reply.")))
        }
        store.take(count, of: portions.lease) { result in
            timer.cancel()
            took(result)
        }
    }

    private func report(_ news: LimitTable.StoreNews, _ store: PortionStore) {
        switch news {
        case .ended:
            host.log(.info, "The store \(store.engine) responds again, and the fleet shares the rates of limit.")
        case .began(let failure):
            alone.add()
            host.log(
                .warning,
                "The store \(store.engine) has failed: \(Printable.text(failure.reason)) Until it responds, this process "
                    + "keeps the rates of limit for itself alone.")
        }
    }
}
