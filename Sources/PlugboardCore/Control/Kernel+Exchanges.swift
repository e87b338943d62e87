import PlugboardBorder
import Synchronization

// What operators do with a running kernel. From any task.
extension Kernel {
    /// Calls a closure with events of the exchanges that begin from now on, and with facts about the kernel, which have
    /// no exchange.
    ///
    /// It is called on the loops, on several at once if there are several, and must not block. It costs each event some
    /// microseconds; an event that nothing wants is not made.
    ///
    /// - Parameter events: The ids of the events, such as `completed` and `cache.hit`; nil for all. An id that no event
    ///   can have is a mistake of the program, and traps.
    public func observe(
        _ events: Set<String>? = nil, _ watch: @escaping @Sendable (ObservedEvent, ObservedExchange?) -> Void
    ) -> Observation {
        if let name = events?.first(where: { !KernelEvent.isPossible($0) }) {
            // The names stand in the program's code. With a wrong one, the closure would never be called.
            preconditionFailure("No event is named \(name). Use a name of KernelEvent, or PLUGIN.NAME.")
        }
        return Observation(core.observers, events, watch)
    }

    /// The exchanges under way, sub-requests of plugins among them; the oldest first.
    public func exchanges() async -> [ObservedExchange] {
        let found = Found()
        await visit { exchange in found.list.withLock { $0.append(ObservedExchange(exchange)) } }
        return found.list.withLock { $0 }.sorted { $0.duration > $1.duration }
    }

    /// Cancels those requests of the program under way that are wanted, and returns how many.
    @discardableResult
    public func cancelExchanges(where isWanted: @escaping @Sendable (ObservedExchange) -> Bool) async -> Int {
        await act(isWanted) { $0.requestCancel() }
    }

    /// Suspends those requests of the program under way that are wanted, as `ExchangeHandle.suspend` does, and returns
    /// how many.
    @discardableResult
    public func suspendExchanges(where isWanted: @escaping @Sendable (ObservedExchange) -> Bool) async -> Int {
        await act({ !$0.isSuspended && isWanted($0) }, { $0.suspend() })
    }

    /// Lets suspended requests of the program go on that are wanted, and returns how many.
    @discardableResult
    public func resumeExchanges(where isWanted: @escaping @Sendable (ObservedExchange) -> Bool) async -> Int {
        await act({ $0.isSuspended && isWanted($0) }, { $0.resume() })
    }

    /// Switches a plugin off, or on again, for exchanges that begin from now on, on all loops. Its timers, its commands
    /// and facts about the kernel still reach it.
    ///
    /// Throws `command.unknown` if no such plugin is enabled, and `plugin.disabled` for one that the kernel has
    /// disabled after faults.
    public func setEnabled(_ isEnabled: Bool, plugin: String) throws(PlugboardError) {
        guard let slot = core.pipeline.slots.first(where: { $0.id == plugin }) else {
            throw PlugboardError(.commandUnknown, "No plugin \(Printable.text(plugin)) is enabled.")
        }
        if let error = slot.disabled { throw error }
        if isEnabled {
            core.switchedOff.bitwiseAnd(~slot.bit.rawValue, ordering: .relaxed)
        } else {
            core.switchedOff.bitwiseOr(slot.bit.rawValue, ordering: .relaxed)
        }
    }

    private final class Found: Sendable {
        let list = Mutex<[ObservedExchange]>([])
        let count = Atomic(0)
    }

    private func act(
        _ isWanted: @escaping @Sendable (ObservedExchange) -> Bool, _ act: @escaping @Sendable (ExchangeCore) -> Void
    ) async -> Int {
        let found = Found()
        await visit { exchange in
            guard exchange.family.sender == nil, isWanted(ObservedExchange(exchange)) else { return }
            found.count.add(1, ordering: .relaxed)
            act(exchange)
        }
        return found.count.load(ordering: .relaxed)
    }

    /// Calls a closure with each exchange under way, on its loop.
    private func visit(_ use: @escaping @Sendable (ExchangeCore) -> Void) async {
        let core = core
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let left = Countdown(core.loops.count) { continuation.resume() }
            for home in core.loops {
                let isTaken = home.loop.enqueue { [core] in
                    withExtendedLifetime(core) { Kernel.visit(home.underWay.all[...], on: home, use, left) }
                }
                if !isTaken { left.count() }
            }
        }
    }

    /// A few in one job of the loop, so that the other exchanges go on meanwhile. [loop]
    private static func visit(
        _ exchanges: ArraySlice<ExchangeCore>, on home: KernelLoop,
        _ use: @escaping @Sendable (ExchangeCore) -> Void, _ left: Countdown
    ) {
        for exchange in exchanges.prefix(64) where home.underWay.contains(exchange) { use(exchange) }
        let (core, rest) = (home.core, exchanges.dropFirst(64))
        let isTaken =
            !rest.isEmpty
            && home.loop.enqueue {
                withExtendedLifetime(core) { visit(rest, on: home, use, left) }
            }
        if !isTaken { left.count() }
    }
}
