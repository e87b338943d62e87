import PlugboardBorder
import PlugboardEventLoop
import Synchronization

/// The timers of plugins on one loop: started and cancelled from any thread, fired on the loop.
///
/// Plugins use a timer without a delay to get from their own threads to the loop. Such a timer fires for a plugin that
/// was switched off too, so that the plugin can finish what it has begun.
///
/// Sendable because everything but the registry is touched on the loop only.
final class PluginTimers: @unchecked Sendable {
    private let loop: EventLoop
    /// The timers that may still fire, with the slot of their plugin.
    private let waiting: Registry<Int>
    /// The timers that the loop knows. [loop]
    private var scheduled: [UInt64: (slot: Int, isAtOnce: Bool, timer: LoopTimer)] = [:]
    /// The slots whose timers no longer fire, except those without a delay. [loop]
    private var stopped: SlotSet = []

    init(loop: EventLoop, index: Int = 0, of count: Int = 1) {
        self.loop = loop
        waiting = Registry(index, of: count)
    }

    /// Starts a timer, whose delay counts from this call, and returns its number; 0 if the loop has ended. [any]
    ///
    /// - Parameters:
    ///   - after: The delay in nanoseconds; 0 or less for none.
    ///   - fired: Runs once, on the loop.
    func start(of slot: Int, after: Int64, fired: @escaping @Sendable () -> Void) -> UInt64 {
        let number = waiting.add(slot)
        let (deadline, isFar) = loop.timeOfCall.addingReportingOverflow(max(after, 0))
        let isTaken = loop.enqueue { [self] in
            if after > 0 && stopped.contains(SlotSet(slot)) { waiting.remove(number) }
            guard !isFar, waiting[number] != nil else { return }
            // Weak: the loop keeps the timer until it fires or the loop ends, and this object keeps the loop.
            // Without a delay it fires in this turn, whose time may be older than the call.
            let timer = loop.schedule(at: after > 0 ? deadline : min(deadline, loop.now)) { [weak self] in
                self?.scheduled[number] = nil
                if self?.waiting.remove(number) != nil { fired() }
            }
            scheduled[number] = (slot, after <= 0, timer)
        }
        if isTaken { return number }
        waiting.remove(number)
        return 0
    }

    /// Returns false if it has already fired. [any]
    func cancel(_ number: UInt64) -> Bool {
        guard waiting.remove(number) != nil else { return false }
        if loop.isCurrent { drop(number) } else { loop.enqueue { self.drop(number) } }
        return true
    }

    /// Cancels the timers of a plugin that is switched off, and those that it starts from now on. [loop]
    func stop(of slot: Int) {
        stopped.insert(SlotSet(slot))
        let own = scheduled.filter { $0.value.slot == slot && !$0.value.isAtOnce }
        for number in own.keys where waiting.remove(number) != nil { drop(number) }
    }

    /// Lets no timer fire any more, even if the loop still knows it: the plugins are about to be destroyed. [any]
    func stopAll() { _ = waiting.removeAll() }

    private func drop(_ number: UInt64) { scheduled.removeValue(forKey: number)?.timer.cancel() }
}
