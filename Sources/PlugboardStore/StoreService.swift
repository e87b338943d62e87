import CPlugboardStore
import PlugboardKit
import Synchronization

/// The service `plugboard.store/1` of an engine in Swift: what `PluginInstance.service` returns, made of a
/// `StoreEngine`. Keep it as long as the plugin's instance.
///
/// Each call ends once: with the engine's reply, when its time is over, or with `stop`.
public final class StoreService: Sendable {
    private struct State {
        var isStopped = false
        var lastWatch: UInt64 = 0
        /// The calls without a reply.
        var calls: [ObjectIdentifier: StoreCall] = [:]
        var watchers: [UInt64: StoreWatcher] = [:]
    }

    private let host: PluginHost
    let engine: any StoreEngine
    private let state = Mutex(State())
    private let raw = Table()

    /// The service of an engine.
    public init(_ engine: any StoreEngine, _ host: PluginHost) {
        (self.engine, self.host) = (engine, host)
        raw.pointer.initialize(to: StoreService.table(Unmanaged.passUnretained(self).toOpaque(), raw.keep(engine.name)))
    }

    /// The address of the table in C, as `PluginInstance.service` returns it. Valid as long as this object.
    public var table: UnsafeRawPointer { UnsafeRawPointer(raw.pointer) }

    /// Ends all calls and watches, and refuses new ones. For the plugin's `stop`.
    public func stop() {
        let (calls, watchers) = state.withLock { state in
            state.isStopped = true
            defer { (state.calls, state.watchers) = ([:], [:]) }
            return (state.calls, state.watchers)
        }
        for call in calls.values { call.end(.failure(StoreFailure(.down, "The store stops."))) }
        for (number, watcher) in watchers {
            engine.unwatch(StoreWatch(number: number))
            watcher.end()
        }
    }

    /// Tells a watch soon, on another thread, that a key has changed which was read with it; nil: any of its keys may
    /// have. From any thread.
    public func changed(_ key: String?, of watch: StoreWatch) {
        guard let watcher = state.withLock({ $0.watchers[watch.number] }) else { return }
        Task { watcher.tell(key) }
    }

    /// Tells all watches that any of their keys may have changed, as after a connection was lost. From any thread.
    public func changedAll() {
        let watchers = state.withLock { Array($0.watchers.values) }
        Task { for watcher in watchers { watcher.tell(nil) } }
    }

    // MARK: What the table calls

    /// Begins a call. `command` is nil if a text is not UTF-8, or if a pointer is missing.
    func begin(_ call: UnsafePointer<plug_store_call_v1>?, _ command: StoreCommand?) {
        guard let call, let done = call.pointee.done else { return }
        let (within, pending) = (call.pointee.within, StoreCall(call.pointee.context, done))
        defer { pending.returns() }
        // Before `stop` can end it.
        pending.whenOver = { [weak self, id = ObjectIdentifier(pending)] in
            self?.state.withLock { $0.calls[id] = nil }
        }
        let isStopped = state.withLock { state in
            if !state.isStopped { state.calls[ObjectIdentifier(pending)] = pending }
            return state.isStopped
        }
        if isStopped { return pending.end(.failure(StoreFailure(.down, "The store has stopped."))) }
        guard let command else {
            return pending.end(.failure(StoreFailure(.invalid, "A text is missing, or a key is not UTF-8.")))
        }
        if let mistake = command.mistake { return pending.end(.failure(StoreFailure(.invalid, mistake))) }
        if within <= 0 { return pending.end(.failure(StoreFailure(.late, "There was no time left for the call."))) }
        let timer = host.schedule(after: .nanoseconds(within)) {
            pending.end(.failure(StoreFailure(.late, "The engine did not respond in time.")))
        }
        engine.perform(command, for: self) { result in
            timer.cancel()
            pending.end(command.checked(result))
        }
    }

    func watch(_ watcher: StoreWatcher) -> UInt64 {
        state.withLock { state in
            guard !state.isStopped else { return 0 }
            state.lastWatch += 1
            state.watchers[state.lastWatch] = watcher
            return state.lastWatch
        }
    }

    func unwatch(_ number: UInt64) {
        guard let watcher = state.withLock({ $0.watchers.removeValue(forKey: number) }) else { return }
        engine.unwatch(StoreWatch(number: number))
        watcher.end()
    }

    /// The memory of the table and its texts.
    ///
    /// Sendable because it is written only while the service is made.
    private final class Table: @unchecked Sendable {
        let pointer = UnsafeMutablePointer<plug_store_v1>.allocate(capacity: 1)
        private var name = UnsafeMutableRawBufferPointer(start: nil, count: 0)

        func keep(_ text: String) -> plug_text {
            name = .allocate(byteCount: max(text.utf8.count, 1), alignment: 1)
            name.copyBytes(from: text.utf8)
            return plug_text(viewing: UnsafeRawBufferPointer(rebasing: name[..<text.utf8.count]))
        }

        deinit {
            pointer.deallocate()
            name.deallocate()
        }
    }
}
