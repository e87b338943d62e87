import PlugboardBorder
import PlugboardEventLoop
import PlugboardSystem
import Synchronization

/// How a kernel ends.
extension Kernel {
    /// The shortest time that plugins have for `stop`, in nanoseconds.
    private static let stopTime: Int64 = 1_000_000_000

    /// Refuses new requests, waits for those under way, cancels the rest after `limit`, and stops the plugins, the
    /// innermost first. Returns when the plugins have stopped.
    ///
    /// Plugins that stop, and commands that have not returned, have the rest of the limit, and at least a second. A
    /// plugin whose `stop` or command has not returned by then is named in the log and never destroyed.
    ///
    /// A further call whose limit ends earlier shortens the first, as long as exchanges are waited for.
    public func shutDown(within limit: Duration = .seconds(30)) async {
        let isFirst = life.withLock { life in
            guard case .running = life else { return false }
            life = .closing([])
            return true
        }
        guard isFirst else {
            Kernel.limit(core, to: limit)
            return await end()
        }
        await Kernel.close(core, within: limit)
        control?.close()
        let waiting = life.withLock { life in
            defer { life = .closed }
            if case .closing(let waiting) = life { return waiting }
            return []
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits for a shutdown that another call has begun.
    private func end() async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let isClosed = life.withLock { life in
                guard case .closing(let waiting) = life else { return true }
                life = .closing(waiting + [continuation])
                return false
            }
            if isClosed { continuation.resume() }
        }
    }

    /// Cancels what is under way after `limit`, unless an earlier call does it sooner.
    private static func limit(_ core: KernelCore, to limit: Duration) {
        // A year at most, so that no sum with a clock's time overflows.
        let limit = min(max(limit, .zero), .seconds(365 * 86_400)).nanoseconds
        core.closingTime.min(clockTime(CLOCK_MONOTONIC) + limit, ordering: .relaxed)
        for home in core.loops {
            home.loop.enqueue {
                _ = home.loop.schedule(at: home.loop.now + limit) {
                    home.cancelAll(PlugboardError(.shutDown, "The kernel was shut down."))
                }
            }
        }
    }

    static func close(_ core: KernelCore, within limit: Duration) async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            // Runs when all loops are without exchanges at the same time: until then, each takes sub-requests of
            // others. Unowned, because the loops keep it; this function keeps the core.
            let idle = Countdown(core.loops.count) { [unowned core] in
                // Done by later jobs, because this may run within a transport's report that ended the last exchange.
                core.withTransports {
                    $0.shutDown()
                } done: {
                    // If the loop has ended, the watch has ended with it.
                    core.first.loop.enqueue { core.network.end() }
                    continuation.resume()
                }
            }
            for home in core.loops {
                let isTaken = home.loop.enqueue {
                    guard home === core.first else { return home.close(idle) }
                    home.publish(EventNode(.closing))
                    // Closes after the sub-requests that plugins have begun for the event, such as a last message.
                    if !home.loop.enqueue({ home.close(idle) }) { idle.count() }
                }
                if !isTaken { idle.count() }
            }
            Kernel.limit(core, to: limit)
        }
        await BlockingThread.run {
            let (slots, startup) = (core.pipeline.slots, Startup(core: core))
            let now = clockTime(CLOCK_MONOTONIC)
            let deadline = max(core.closingTime.load(ordering: .relaxed), now + Kernel.stopTime)
            let stuck = startup.stop(slots, until: deadline)
            for home in core.loops { home.loop.stop() }
            for home in core.loops { home.watches.endAll() }
            core.failWhatWaits(PlugboardError(.shutDown, "The kernel was shut down."))
            startup.destroy(slots.filter { slot in !stuck.contains { $0 === slot } })
            core.endContainment()
        }
    }
}
