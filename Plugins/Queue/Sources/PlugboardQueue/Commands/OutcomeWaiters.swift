import PlugboardJSON
import PlugboardKit
import PlugboardQueueOptions
import PlugboardSQLite
import Synchronization

/// The commands that wait for the outcome of a request.
final class OutcomeWaiters: Sendable {
    private struct State {
        var waiting: [String: [UInt64: Reply]] = [:]
        var last: UInt64 = 0
        var isLooking = false
        var isEnded = false
    }

    /// How often the file is read, because another process may have sent the request.
    private static let period = Duration.seconds(1)

    private let store: QueueStore
    private let host: PluginHost
    private let state = Mutex(State())

    init(_ store: QueueStore, _ host: PluginHost) {
        self.store = store
        self.host = host
    }

    /// Replies when the request has an outcome; fails if there is no such request. Returns a number for `give`.
    @discardableResult
    func wait(for id: String, _ reply: Reply) -> UInt64 {
        let number = state.withLock { state in
            state.last += 1
            if !state.isEnded { state.waiting[id, default: [:]][state.last] = reply }
            return state.last
        }
        ended(id)
        lookLater()
        return number
    }

    /// Called when the time of a command is over: replies with the current state.
    func give(_ id: String, _ number: UInt64) {
        let reply = state.withLock { state in
            defer { if state.waiting[id]?.isEmpty == true { state.waiting[id] = nil } }
            return state.waiting[id]?.removeValue(forKey: number)
        }
        if let reply {
            look(id) {
                reply.json($0)
            } missing: {
                reply.fail($0)
            }
        }
    }

    /// Called when the request may have an outcome, or may have been removed. Replies to the commands that wait for it.
    func ended(_ id: String) {
        guard state.withLock({ !($0.waiting[id] ?? [:]).isEmpty }) else { return }
        look(id) { [self] found in
            let name = found["state"]?.stringValue
            guard name == "done" || name == "dead" else { return }
            for reply in take(id) { reply.json(found) }
        } missing: { [self] error in
            for reply in take(id) { reply.fail(error) }
        }
    }

    /// Checks again after the period, as long as commands wait.
    private func lookLater() {
        let isFirst = state.withLock { state in
            guard !state.isLooking, !state.waiting.isEmpty else { return false }
            state.isLooking = true
            return true
        }
        guard isFirst else { return }
        host.schedule(after: OutcomeWaiters.period) { [weak self] in
            guard let self else { return }
            let ids = state.withLock { state in
                state.isLooking = false
                return Array(state.waiting.keys)
            }
            for id in ids { ended(id) }
            lookLater()
        }
    }

    func end() {
        state.withLock { state in
            state.isEnded = true
            state.waiting = [:]
        }
    }

    private func take(_ id: String) -> [Reply] {
        state.withLock { state in (state.waiting.removeValue(forKey: id) ?? [:]).values.map { $0 } }
    }

    private func look(
        _ id: String, found: @escaping @Sendable (JSONValue) -> Void,
        missing: @escaping @Sendable (PlugboardError) -> Void
    ) {
        store.perform { (session, _, _) throws(SQLiteFailure) in
            try session.list(Selection(id: id), limit: 1, isWhole: true, isUnacknowledged: false).first
        } then: { result in
            switch result {
            case .success(.some(let entry)): found(entry)
            case .success(.none): missing(PlugboardError(.queueUnknown, "The queue has no request with this ticket."))
            case .failure(let failure): missing(QueueStore.error(failure))
            }
        }
    }
}
