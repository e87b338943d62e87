import CPlugboard

/// The kernel as one plugin sees it. From any thread, from `init` until the plugin is destroyed.
public final class PluginHost: Sendable {
    private let pointer: HostPointer
    let pullCompletion: PullCompletion
    let timers = PendingTimers()
    let tasks = PluginTasks()

    init(_ raw: UnsafePointer<plug_host_v1>) {
        pointer = HostPointer(raw: raw)
        pullCompletion = PullCompletion(pointer)
    }

    var raw: UnsafePointer<plug_host_v1> { pointer.raw }

    /// Whether lines of this level are printed, for plugins that would have to gather something for them.
    public func prints(_ level: LogLevel) -> Bool { level.rawValue >= raw.pointee.log_level(raw) }

    /// Writes a line to the log under the plugin's id. The text is not made when its level is not printed.
    public func log(_ level: LogLevel, _ text: @autoclosure () -> String) {
        guard prints(level) else { return }
        withText(text()) { raw.pointee.log(raw, level.rawValue, $0) }
    }

    /// The monotonic clock, since some moment.
    public var now: Duration { .nanoseconds(raw.pointee.now(raw)) }

    /// Time since 1970-01-01 00:00 UTC.
    public var wallClock: Duration { .nanoseconds(raw.pointee.wall_clock(raw)) }

    /// Random bytes, fit for keys.
    public func random(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            raw.pointee.random(raw, buffer.baseAddress, UInt64(count))
            initialized = count
        }
    }

    /// A folder that only this plugin uses; nil if it cannot be made.
    public var dataDirectory: String? { raw.pointee.data_directory(raw).optionalString }

    /// Tells a fact under the plugin's own id, such as `cache.hit`; of an exchange, or of the kernel (nil).
    ///
    /// False if it is told to nobody: the id is not the plugin's own, the plugins are not started yet, or the kernel has ended.
    @discardableResult
    public func publish(_ id: String, exchange: UInt64? = nil, details: Fields = Fields()) -> Bool {
        withText(id) { id in
            withCFields(details) { raw.pointee.publish(raw, exchange ?? 0, id, $0, $1) == PLUG_OK }
        }
    }

    /// Runs a task that lives as long as the plugin: it is cancelled when the plugin stops, and `stop` is called when it has ended.
    ///
    /// Usually begun in `start`. What ends by itself is forgotten; once the plugin stops, nothing begins any more.
    @discardableResult
    public func startTask(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        tasks.start(operation)
    }

    /// The plugin is destroyed, or was never created.
    func end() {
        timers.end()
        tasks.cancel()
    }

    /// Runs a closure once on the loop, after a time; from `start` on, and before that never. One that is not due when the plugin is destroyed is let go of, and one that is not due
    /// when the plugin is switched off for its faults never runs; without a time to wait, it still does.
    @discardableResult
    public func schedule(after delay: Duration, _ fired: @escaping @Sendable () -> Void) -> Timer {
        schedule(after: delay, fired, orNever: {})
    }

    /// Runs a closure on the loop, or the other one when there is no loop any more. Also for a plugin that was switched off for its faults:
    /// what it has begun must come to an end.
    func runOnLoop(_ job: @escaping @Sendable () -> Void, orNever dropped: @escaping @Sendable () -> Void) {
        schedule(after: .zero, job, orNever: dropped)
    }

    @discardableResult
    private func schedule(
        after delay: Duration, _ fired: @escaping @Sendable () -> Void, orNever dropped: @escaping @Sendable () -> Void
    ) -> Timer {
        guard let pending = timers.add(fired, dropped: dropped) else { return Timer(number: 0, pending: 0, host: self) }
        let number = raw.pointee.timer(raw, delay.nanoseconds, UnsafeMutableRawPointer(bitPattern: pending)) {
            PendingTimers.run(UInt(bitPattern: $0))
        }
        if number == 0 { PendingTimers.drop(pending) }
        return Timer(number: number, pending: pending, host: self)
    }

    /// A number that operators can read; the same name is the same counter.
    public func counter(_ name: String) -> Counter {
        Counter(number: withText(name) { raw.pointee.counter(raw, $0) }, host: self)
    }

    public struct Counter: Sendable {
        let number: plug_counter
        let host: PluginHost
        public func add(_ delta: Int = 1) { host.raw.pointee.count(host.raw, number, Int64(delta)) }
    }

    public struct Timer: Sendable {
        let number: plug_timer
        let pending: UInt
        let host: PluginHost

        /// False if it has run already.
        @discardableResult
        public func cancel() -> Bool {
            guard host.raw.pointee.cancel_timer(host.raw, number) == PLUG_OK else { return false }
            PendingTimers.remove(pending)
            return true
        }
    }
}

/// Sendable because the kernel's table is constant, and its functions say which thread they are for.
struct HostPointer: @unchecked Sendable {
    let raw: UnsafePointer<plug_host_v1>
}
