import CPlugboard

/// The kernel as one plugin sees it. Used on any thread, from `init` until the plugin is destroyed.
public final class PluginHost: Sendable {
    let pointer: HostPointer
    let pullCompletion: PullCompletion
    let timers = PendingTimers()
    let tasks = PluginTasks()

    init(_ raw: UnsafePointer<plug_host_v1>) {
        pointer = HostPointer(raw)
        pullCompletion = PullCompletion(pointer)
    }

    var raw: UnsafePointer<plug_host_v1> { pointer.raw }

    /// The kernel's version: major.minor.patch.
    public var kernelVersion: String { raw.pointee.version.string }

    /// Whether the plugin must not start work by itself: it serves exchanges and commands, but does not send what it
    /// has stored, fetch, or clean up on its own.
    ///
    /// True if the program was started for one of the plugin's commands whose definition says `isQuiet`.
    public var isQuiet: Bool { raw.pointee.flags & PLUG_HOST_QUIET != 0 }

    /// Whether lines of this level are printed. Check it before you collect data only for the log.
    public func prints(_ level: LogLevel) -> Bool { level.rawValue >= raw.pointee.log_level(raw) }

    /// Writes a line to the log under the plugin's id. `text` is not evaluated when its level is not printed.
    public func log(_ level: LogLevel, _ text: @autoclosure () -> String) {
        guard prints(level) else { return }
        withText(text()) { raw.pointee.log(raw, level.rawValue, $0) }
    }

    /// The monotonic time. Its zero has no meaning.
    public var now: Duration { .nanoseconds(raw.pointee.now(raw)) }

    /// Time since 1970-01-01 00:00 UTC.
    public var wallClock: Duration { .nanoseconds(raw.pointee.wall_clock(raw)) }

    /// Random bytes that are secure enough for keys.
    public func random(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            raw.pointee.random(raw, buffer.baseAddress, UInt64(count))
            initialized = count
        }
    }

    /// The path of a folder that only this plugin uses, created at the first use (mode 0700); nil if it cannot be
    /// created. Reading it may block on the disk, so read it in `init` or `start`.
    public var dataDirectory: String? { raw.pointee.data_directory(raw).optionalString }

    /// The path that `dataDirectory` has after the start; the folder may not exist.
    ///
    /// A check of a configuration calls `init`, too; `dataDirectory` is then an empty folder, which is removed after
    /// the check. So `init` may read at this path, but must not write there, to refuse what `start` would refuse.
    public var dataPath: String? { raw.pointee.data_path(raw).optionalString }

    /// Resolves a path of the settings, or of an attribute that the configuration gives. A relative path begins at the
    /// folder of the configuration's file, or, without one, at the process's folder when the kernel was made.
    public func configuredPath(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = raw.pointee.configuration_directory(raw).optionalString else {
            return path
        }
        return folder.hasSuffix("/") ? folder + path : "\(folder)/\(path)"
    }

    /// Publishes an event under the plugin's own id, such as `cache.hit`, for an exchange or for the kernel (nil).
    ///
    /// Within `onEvent` of a plugin's event, it is delivered in the loop's next turn. Returns false, and publishes
    /// nothing, if the id does not begin with the plugin's id and a dot, before `start`, when the kernel has ended, and
    /// if more than 16 events in a row caused each other, or 1024 wait.
    @discardableResult
    public func publish(_ id: String, exchange: UInt64? = nil, details: Fields = Fields()) -> Bool {
        withText(id) { id in
            withCFields(details) { raw.pointee.publish_event(raw, exchange ?? 0, id, $0, $1) == PLUG_OK }
        }
    }

    /// Runs a task for work that belongs to no exchange, usually from `start`.
    ///
    /// The task is cancelled when the plugin stops, and `stop` is called after its end. No task begins after that.
    @discardableResult
    public func startTask(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        tasks.start(operation)
    }

    /// Called when the plugin is destroyed or could not be created.
    func end() {
        timers.end()
        tasks.cancel()
    }

    /// One of the kernel's event loops.
    public struct Loop: Sendable, Hashable {
        let number: plug_loop
    }

    /// The loop on which this is called; nil on other threads.
    ///
    /// A kernel may have several loops, and each exchange, with its bodies, is on one of them. Work that began on a
    /// loop and continues on other threads returns to it with `schedule(after: .zero, on: loop)`.
    public var currentLoop: Loop? {
        let number = raw.pointee.current_loop(raw)
        return number == 0 ? nil : Loop(number: number)
    }

    /// Runs a closure once after a delay: on the given loop, else on the current one, and on other threads on the
    /// first. Works from `start` on; before that, the closure never runs.
    ///
    /// A closure whose time has not come when the plugin is destroyed is released and never runs. The same happens when
    /// the plugin is switched off for its faults, unless `delay` is zero.
    @discardableResult
    public func schedule(
        after delay: Duration, on loop: Loop? = nil, _ fired: @escaping @Sendable () -> Void
    ) -> Timer {
        schedule(after: delay, on: loop, fired, orNever: {})
    }

    /// Runs `job` on this loop, or `dropped` if the loop has ended. Works even for a plugin that was switched off for
    /// its faults, because its current work must come to an end.
    func run(
        on loop: Loop?, _ job: @escaping @Sendable () -> Void, orNever dropped: @escaping @Sendable () -> Void
    ) {
        schedule(after: .zero, on: loop, job, orNever: dropped)
    }

    @discardableResult
    func schedule(
        after delay: Duration, on loop: Loop? = nil, _ fired: @escaping @Sendable () -> Void,
        orNever dropped: @escaping @Sendable () -> Void
    ) -> Timer {
        guard let pending = timers.add(fired, dropped: dropped) else { return Timer(number: 0, pending: 0, host: self) }
        let run: plug_timer_function = { PendingTimers.run(UInt(bitPattern: $0)) }
        let context = UnsafeMutableRawPointer(bitPattern: pending)
        let number = raw.pointee.start_timer(raw, loop?.number ?? 0, delay.nanoseconds, context, run)
        if number == 0 { PendingTimers.drop(pending) }
        return Timer(number: number, pending: pending, host: self)
    }

    /// A timer that was started. Releasing this value does not cancel it.
    public struct Timer: Sendable {
        let number: plug_timer
        let pending: UInt
        let host: PluginHost

        /// Cancels the timer. Returns false if it has run or is running.
        @discardableResult
        public func cancel() -> Bool {
            guard host.raw.pointee.cancel_timer(host.raw, number) == PLUG_OK else { return false }
            PendingTimers.remove(pending)
            return true
        }
    }
}

/// Sendable because the kernel's table is constant, and each of its functions documents its thread.
struct HostPointer: @unchecked Sendable {
    let raw: UnsafePointer<plug_host_v1>

    init(_ raw: UnsafePointer<plug_host_v1>) { self.raw = raw }
}
