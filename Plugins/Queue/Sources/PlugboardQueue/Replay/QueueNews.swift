import PlugboardJSON
import PlugboardKit
import PlugboardQueueOptions
import PlugboardSQLite
import Synchronization

/// Reports what happens: as events, counters and log lines, and to the readers of the command `watch`.
final class QueueNews: Sendable {
    private let host: PluginHost
    private let queued: PluginHost.Counter
    private let succeeded: PluginHost.Counter
    private let failed: PluginHost.Counter
    private let died: PluginHost.Counter
    private let collapsed: PluginHost.Counter
    private let refused: PluginHost.Counter
    /// The last failure of the file that was logged.
    private let fileTrouble = Mutex<String?>(nil)
    private let watchers = Mutex<[WatchSource]>([])

    init(_ host: PluginHost) {
        self.host = host
        queued = host.counter("queued")
        succeeded = host.counter("succeeded")
        failed = host.counter("failed")
        died = host.counter("dead")
        collapsed = host.counter("collapsed")
        refused = host.counter("refused")
    }

    func added(_ entry: NewEntry, _ placement: Placement, exchange: UInt64?) {
        switch placement {
        case .queued, .behind:
            if entry.isJournal { return }
            queued.add()
            publish("queue.queued", ["id": entry.id, "code": entry.code ?? ""], entry.category, entry.tag, exchange)
        case .cancelled:
            collapsed.add()
            publish("queue.collapsed", ["id": entry.id], entry.category, entry.tag, exchange)
        // The exchange reports what is refused.
        case .full, .known: break
        }
    }

    func refused(_ error: PlugboardError, _ entry: NewEntry? = nil, exchange: UInt64) {
        refused.add()
        warn(error)
        publish("queue.refused", ["reason": error.code.name], entry?.category, entry?.tag, exchange)
    }

    func replaying(_ entry: ClaimedEntry) {
        publish("queue.replaying", ["id": entry.id], entry.category, entry.tag)
    }

    func settled(_ entry: ClaimedEntry, _ settlement: Settlement) {
        switch settlement {
        case .done(let response):
            succeeded.add()
            publish("queue.succeeded", ["id": entry.id, "status": "\(response.status)"], entry.category, entry.tag)
        case .dead(let error, _): died(entry.id, error.code, entry.category, entry.tag)
        case .waiting(let error, _, _, _):
            failed.add()
            publish("queue.failed", ["id": entry.id, "code": error.code.name], entry.category, entry.tag)
        }
    }

    func died(_ id: String, _ code: PlugboardError.Code, _ category: String? = nil, _ tag: String? = nil) {
        died.add()
        host.log(.warning, "The queued request \(id) is not sent any more (\(code)). See plugboard queue dead.")
        publish("queue.dead", ["id": id, "code": code.name], category, tag)
    }

    func probed(_ isGood: Bool) { publish("queue.probed", ["result": isGood ? "reachable" : "unreachable"], nil, nil) }

    func dropped(_ ids: [String]) { for id in ids { publish("queue.dropped", ["id": id], nil, nil) } }

    /// Reports requests that were dropped to make room.
    func dropped(_ entries: [DroppedEntry]) {
        for entry in entries {
            publish(
                "queue.dropped", ["id": entry.id, "code": PlugboardError.Code.queueFull.name], entry.category,
                entry.tag)
        }
    }

    /// Logs a failure of work that is tried again. A busy file is not logged, because it only delays the work.
    func warn(_ failure: SQLiteFailure) {
        if ![.closed, .busy].contains(failure.kind) { warn(QueueStore.error(failure)) }
    }

    /// Logs a failure of the file once, until the file can be written again.
    private func warn(_ error: PlugboardError) {
        let isKnown = fileTrouble.withLock { trouble in
            guard error.code == .queueFile else { return false }
            defer { trouble = error.reason }
            return error.reason == trouble
        }
        // The store has already logged that the file is read-only.
        if isKnown || error.reason == QueueStore.readOnly { return }
        host.log(.warning, error.reason)
    }

    func fileWorks() { fileTrouble.withLock { $0 = nil } }

    private func publish(
        _ event: String, _ details: KeyValuePairs<String, String>, _ category: String?, _ tag: String?,
        _ exchange: UInt64? = nil
    ) {
        var fields = Fields()
        for (name, value) in details where !value.isEmpty { fields.append(FieldName(name), value) }
        if let category { fields.append("category", category) }
        if let tag { fields.append("tag", tag) }
        host.publish(event, exchange: exchange, details: fields)
        let watchers = watchers.withLock { $0 }
        guard !watchers.isEmpty else { return }
        var object: JSONObject = ["event": .string(event)]
        for field in fields { object[field.name] = .string(field.value) }
        let line = JSONWriter.write(.object(object)) + "\n"
        for watcher in watchers { watcher.add(line) }
    }

    // MARK: Watching

    func watch() -> WatchSource {
        let source = WatchSource { [weak self] source in self?.watchers.withLock { $0.removeAll { $0 === source } } }
        watchers.withLock { $0.append(source) }
        return source
    }

    func endWatching() {
        let all = watchers.withLock { watchers in
            defer { watchers = [] }
            return watchers
        }
        for watcher in all { watcher.finish() }
    }
}

/// The body of the command `watch`: a line of JSON for each event, until the plugin stops.
final class WatchSource: BodySource {
    private struct State {
        var lines = ""
        var pull: Pull?
        var isOver = false
    }

    /// The most bytes that wait for the reader. Beyond it, the newest lines are lost.
    private static let limit = 1 << 20

    private let state = Mutex(State())
    private let ended: @Sendable (WatchSource) -> Void

    init(_ ended: @escaping @Sendable (WatchSource) -> Void) { self.ended = ended }

    var length: Int? { nil }

    func add(_ line: String) {
        let pull = state.withLock { state -> Pull? in
            if let pull = state.pull {
                state.pull = nil
                return pull
            }
            if state.lines.utf8.count < WatchSource.limit { state.lines += line }
            return nil
        }
        pull?.give(Bytes(line))
    }

    func pull(_ pull: Pull) {
        let (lines, isOver) = state.withLock { state -> (String, Bool) in
            defer { state.lines = "" }
            if state.lines.isEmpty, !state.isOver { state.pull = pull }
            return (state.lines, state.isOver)
        }
        if !lines.isEmpty { pull.give(Bytes(lines)) } else if isOver { pull.end() }
    }

    func finish() {
        let pull = state.withLock { state in
            state.isOver = true
            defer { state.pull = nil }
            return state.pull
        }
        pull?.end()
    }

    func release() { ended(self) }
}
