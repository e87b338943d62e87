import EventLoop
import PlugboardKit
import Synchronization

/// The timers of plugins: started and cancelled from any thread, fired on the loop.
///
/// One without a time to wait is how a plugin's own threads come to the loop, and fires for a plugin that was switched off, too: what that one
/// has begun must come to an end.
///
/// Sendable because what is not the registry's is touched on the loop only.
final class PluginTimers: @unchecked Sendable {
    private let loop: EventLoop
    /// Those that may still fire, with the slot of whose they are.
    private let waiting = Registry<Int>()
    /// What the loop knows of them. [loop]
    private var scheduled: [UInt64: (slot: Int, isAtOnce: Bool, timer: LoopTimer)] = [:]
    /// A bit for each slot whose timers fire no more, but for those without a time to wait. [loop]
    private var stopped: UInt64 = 0

    init(loop: EventLoop) { self.loop = loop }

    /// - Parameter fired: Runs once, on the loop.
    func start(of slot: Int, after: Int64, fired: @escaping @Sendable () -> Void) -> UInt64 {
        let number = waiting.add(slot)
        loop.enqueue { [self] in
            if after > 0 && stopped & (1 << UInt64(slot)) != 0 { waiting.remove(number) }
            let (deadline, isFar) = loop.now.addingReportingOverflow(max(after, 0))
            guard !isFar, waiting[number] != nil else { return }
            // Weak: the loop drops what is not due when it ends, and until then must not keep what keeps the loop.
            let timer = loop.schedule(at: deadline) { [weak self] in
                self?.scheduled[number] = nil
                if self?.waiting.remove(number) != nil { fired() }
            }
            scheduled[number] = (slot, after <= 0, timer)
        }
        return number
    }

    /// False if it has fired already.
    func cancel(_ number: UInt64) -> Bool {
        guard waiting.remove(number) != nil else { return false }
        if loop.isCurrent { drop(number) } else { loop.enqueue { self.drop(number) } }
        return true
    }

    /// Cancels the timers of a plugin that is switched off, those that it will start too. [loop]
    func stop(of slot: Int) {
        stopped |= 1 << UInt64(slot)
        let own = scheduled.filter { $0.value.slot == slot && !$0.value.isAtOnce }
        for number in own.keys where waiting.remove(number) != nil { drop(number) }
    }

    /// None of those that were started fires any more, though the loop may still know it: whose they are goes. From any thread.
    func stopAll() { _ = waiting.removeAll() }

    private func drop(_ number: UInt64) { scheduled.removeValue(forKey: number)?.timer.cancel() }
}
