import CPlugboard
import Synchronization

// Work of a plugin outside of exchanges.
extension PluginHost {
    // MARK: Descriptors

    /// What a descriptor is ready for, or watched for.
    public struct Readiness: OptionSet, Sendable {
        /// The bits, as in `plugboard.h`.
        public let rawValue: UInt32

        /// A set from its bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Reading does not block.
        public static let read = Readiness(rawValue: PLUG_READY_READ)
        /// Writing does not block.
        public static let write = Readiness(rawValue: PLUG_READY_WRITE)
        /// It has an error, was hung up, or cannot be watched. Always reported, whatever is watched for.
        public static let broken = Readiness(rawValue: PLUG_READY_BROKEN)
    }

    /// A descriptor that is watched.
    public struct Watch: Sendable {
        let number: plug_watch
        let host: PluginHost

        /// Changes what is watched for; an empty set watches for nothing. Returns false if the watch has ended. Called
        /// from any thread.
        @discardableResult
        public func change(to wanted: Readiness) -> Bool {
            host.raw.pointee.rewatch(host.raw, number, wanted.rawValue) == PLUG_OK
        }

        /// Ends the watch; `released` is called soon. Returns false the second time. From any thread.
        @discardableResult
        public func cancel() -> Bool { host.raw.pointee.unwatch(host.raw, number) == PLUG_OK }
    }

    /// Watches a non-blocking descriptor (`O_NONBLOCK`) that the plugin has opened, so that the plugin needs no thread
    /// of its own for it. Each descriptor can be watched once.
    ///
    /// - Parameters:
    ///   - loop: The loop that watches. Nil means the current loop, or the first one on other threads.
    ///   - ready: Called on that loop as long as the descriptor is ready for some of `wanted`, with the watch that this
    ///     function returns, even if it has not returned yet.
    ///   - released: The last call, on that loop, or on another thread if that loop has ended: after `cancel`, after
    ///     the plugin is switched off, and at the kernel's end. Close the descriptor here, not earlier.
    /// - Returns: Nil, without calling anything, before `start` and after the kernel has ended.
    public func watch(
        _ descriptor: Int32, for wanted: Readiness, on loop: Loop? = nil,
        _ ready: @escaping @Sendable (Watch, Readiness) -> Void, released: @escaping @Sendable () -> Void = {}
    ) -> Watch? {
        let callbacks = Unmanaged.passRetained(Callbacks(self, ready, released))
        let number = raw.pointee.watch(
            raw, loop?.number ?? 0, descriptor, wanted.rawValue, callbacks.toOpaque(),
            { context, number, flags in
                guard let context else { return }
                let callbacks = Unmanaged<Callbacks>.fromOpaque(context).takeUnretainedValue()
                callbacks.ready(Watch(number: number, host: callbacks.host), Readiness(rawValue: flags))
            },
            { context in
                if let context { Unmanaged<Callbacks>.fromOpaque(context).takeRetainedValue().released() }
            })
        if number != 0 { return Watch(number: number, host: self) }
        callbacks.release()
        return nil
    }

    private final class Callbacks: Sendable {
        let host: PluginHost
        let ready: @Sendable (Watch, Readiness) -> Void
        let released: @Sendable () -> Void

        init(
            _ host: PluginHost, _ ready: @escaping @Sendable (Watch, Readiness) -> Void,
            _ released: @escaping @Sendable () -> Void
        ) {
            (self.host, self.ready, self.released) = (host, ready, released)
        }
    }

    // MARK: Work that blocks

    /// Runs `work` on a thread of the kernel, where it may block, and then `done` on a loop. From any thread.
    ///
    /// Both run exactly once, before the plugin is destroyed. At most 64 pieces of work run at once; others wait.
    ///
    /// - Parameter loop: The loop where `done` runs. Nil means the current loop, or the first one on other threads.
    ///   If that loop has ended meanwhile, `done` runs on the thread of `work`.
    /// - Returns: False, without running anything, before `start`, after `stop`, and if the system starts no thread.
    @discardableResult
    public func runBlocking(
        on loop: Loop? = nil, _ work: @escaping @Sendable () -> Void, done: @escaping @Sendable () -> Void = {}
    ) -> Bool {
        let jobs = Unmanaged.passRetained(Jobs(work, done))
        let code = raw.pointee.run_blocking(
            raw, loop?.number ?? 0, jobs.toOpaque(),
            { context in if let context { Unmanaged<Jobs>.fromOpaque(context).takeUnretainedValue().work() } },
            { context in if let context { Unmanaged<Jobs>.fromOpaque(context).takeRetainedValue().done() } })
        if code != PLUG_OK { jobs.release() }
        return code == PLUG_OK
    }

    private final class Jobs: Sendable {
        let work: @Sendable () -> Void
        let done: @Sendable () -> Void

        init(_ work: @escaping @Sendable () -> Void, _ done: @escaping @Sendable () -> Void) {
            (self.work, self.done) = (work, done)
        }
    }

    /// Waits for a time by the kernel's clock, which tests can move. Throws when the task is cancelled and when the
    /// plugin is destroyed.
    public func sleep(for time: Duration) async throws {
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard sleeper.begin(continuation) else { return }
                schedule(after: time, { sleeper.end(.success(())) }, orNever: { sleeper.cancel() })
            }
        } onCancel: {
            sleeper.cancel()
        }
    }

    /// A task that sleeps.
    private final class Sleeper: Sendable {
        private struct State {
            var continuation: CheckedContinuation<Void, any Error>?
            var isOver = false
        }

        private let state = Mutex(State())

        /// Returns false if the task was cancelled before.
        func begin(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
            let isOver = state.withLock { state in
                if !state.isOver { state.continuation = continuation }
                return state.isOver
            }
            if isOver { continuation.resume(throwing: CancellationError()) }
            return !isOver
        }

        func cancel() { end(.failure(CancellationError())) }

        func end(_ result: Result<Void, any Error>) {
            let continuation = state.withLock { state in
                state.isOver = true
                defer { state.continuation = nil }
                return state.continuation
            }
            continuation?.resume(with: result)
        }
    }

    // MARK: Services of other plugins

    /// The service with an id that the manifest's `needs` lists, from `start` on: a table of C functions that the id
    /// defines. Nil for another id, and for an optional one (`?`) that no plugin provides.
    ///
    /// Valid until this plugin is destroyed: its provider is started before it and stopped after it.
    public func service<Table>(_ id: String, as table: Table.Type) -> UnsafePointer<Table>? {
        withText(id) { raw.pointee.service(raw, $0) }?.assumingMemoryBound(to: table)
    }
}
