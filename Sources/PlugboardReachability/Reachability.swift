import PlugboardEventLoop
public import PlugboardMessages
import Synchronization

/// Tells whether the system has a network, and when that changes.
///
///     for await network in try Reachability.changes() { print(network.isReachable, network.kind) }
///
/// It reads the system's routing table over netlink and watches it on a thread of its own, from `init` until the last
/// reference to it and to its sequences is dropped. `kernel.reachability()` is one on the kernel's loop. It belongs to
/// the network namespace of the thread that makes it.
///
/// Sendable because the watch is used on the loop only.
public final class Reachability: @unchecked Sendable {
    private struct State {
        var current: NetworkState
        var listeners: [UInt64: AsyncStream<NetworkState>.Continuation] = [:]
        var lastListener: UInt64 = 0
        var hasEnded = false
    }

    private let state: Mutex<State>
    private let loop: EventLoop
    private let ownsLoop: Bool
    private let watch: RoutingWatch

    /// Begins to watch; blocks for some milliseconds.
    ///
    /// Throws `network.unreadable` if the system does not allow it, and `resources` if it has no file descriptor or no
    /// thread left.
    public convenience init() throws(PlugboardError) {
        let loop = try EventLoop(name: "reachability")
        do { try self.init(loop: loop, ownsLoop: true) } catch {
            loop.stop()
            throw error
        }
    }

    /// Watches on a loop that belongs to other code.
    ///
    /// - Parameter changed: Called on the loop with the first state, with each later one, and with the error that ends
    ///   the watch.
    package convenience init(
        loop: EventLoop, changed: @escaping @Sendable (Result<NetworkState, PlugboardError>) -> Void
    ) throws(PlugboardError) {
        try self.init(loop: loop, ownsLoop: false, changed)
    }

    private init(
        loop: EventLoop, ownsLoop: Bool,
        _ changed: (@Sendable (Result<NetworkState, PlugboardError>) -> Void)? = nil
    ) throws(PlugboardError) {
        watch = try RoutingWatch(loop: loop)
        self.loop = loop
        self.ownsLoop = ownsLoop
        state = Mutex(State(current: watch.state))
        loop.enqueue { [weak self] in
            guard let self else { return }
            changed?(.success(watch.state))
            watch.begin { [weak self] result in
                self?.receive(result)
                changed?(result)
            }
        }
    }

    deinit {
        let watch = Loan(watch)
        loop.enqueue { watch.value.end() }
        if ownsLoop { loop.stop() }
    }

    /// The current state.
    public var current: NetworkState { state.withLock { $0.current } }

    /// The current state, and each later one that differs from the one before.
    ///
    /// A slow reader gets only the newest state. The sequence ends when the kernel has ended, or when the
    /// system refuses further reports.
    public func changes() -> AsyncStream<NetworkState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: NetworkState.self, bufferingPolicy: .bufferingNewest(1))
        let number: UInt64? = state.withLock { state in
            continuation.yield(state.current)
            if state.hasEnded { return nil }
            state.lastListener += 1
            state.listeners[state.lastListener] = continuation
            return state.lastListener
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [self] _ in
            state.withLock { state in
                // Released outside of the lock.
                state.listeners.removeValue(forKey: number)
            }.map { withExtendedLifetime($0) {} }
        }
        return stream
    }

    /// `changes()` of a new `Reachability`, which lives as long as the sequence.
    public static func changes() throws(PlugboardError) -> AsyncStream<NetworkState> {
        try Reachability().changes()
    }

    /// Ends the watch and all sequences; the state stays. [loop]
    package func end() {
        watch.end()
        endListeners()
    }

    private func receive(_ result: Result<NetworkState, PlugboardError>) {
        guard case .success(let new) = result else { return endListeners() }
        state.withLock { state in
            state.current = new
            for listener in state.listeners.values { listener.yield(new) }
        }
    }

    private func endListeners() {
        let listeners = state.withLock { state in
            state.hasEnded = true
            defer { state.listeners = [:] }
            return state.listeners
        }
        for listener in listeners.values { listener.finish() }
    }

    /// Brings the watch to its loop.
    ///
    /// Sendable because it is made off the loop and used on the loop.
    private struct Loan: @unchecked Sendable {
        let value: RoutingWatch
        init(_ value: RoutingWatch) { self.value = value }
    }
}

extension NetworkState {
    /// The state now, read from the system's routing table; blocks for some milliseconds. Throws as
    /// `Reachability.init()` does.
    public static func current() throws(PlugboardError) -> NetworkState {
        let socket = try RoutingSocket(isNotified: false)
        try socket.readNow()
        return socket.state
    }
}
