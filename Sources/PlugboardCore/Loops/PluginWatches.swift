import CPlugboard
import PlugboardBorder
import PlugboardEventLoop
import Synchronization

/// The descriptors that plugins watch on one loop: watched from any thread, reported on the loop.
///
/// Sendable because all but the registry and what the loop tells is touched on the loop only.
final class PluginWatches: @unchecked Sendable {
    /// A descriptor, and what to call for it.
    final class Watch: Sendable {
        let slot: Int
        let descriptor: Int32
        let ready: @Sendable (plug_watch, plug_readiness) -> Void
        let release: @Sendable () -> Void
        /// False once it was unwatched; `release` follows.
        let isActive = Atomic(true)
        /// What it is watched for, by the last call. The loop reads it later: calls on the loop take effect at once,
        /// and must not be undone by an earlier call of another thread that still waits in its queue.
        let wanted: Atomic<plug_readiness>

        init(
            slot: Int, descriptor: Int32, wanted: plug_readiness,
            ready: @escaping @Sendable (plug_watch, plug_readiness) -> Void, release: @escaping @Sendable () -> Void
        ) {
            (self.slot, self.descriptor, self.ready, self.release) = (slot, descriptor, ready, release)
            self.wanted = Atomic(wanted)
        }
    }

    private let loop: EventLoop
    /// The watches that are not released yet.
    private let watches: Registry<Watch>
    private let participant = Participant()
    /// The numbers of the watches that the loop knows, by their descriptors. [loop]
    private var numbers: [Int32: UInt64] = [:]
    /// The slots whose plugins no longer watch anything. [loop]
    private var stopped: SlotSet = []

    init(loop: EventLoop, index: Int = 0, of count: Int = 1) {
        self.loop = loop
        watches = Registry(index, of: count)
        participant.isReady = { [unowned self] in report($0, $1) }
    }

    /// Begins to watch, and returns the watch's number; 0 if the loop has ended. [any]
    func start(_ watch: Watch) -> UInt64 {
        let number = watches.add(watch)
        let isTaken = perform { [self] in
            guard watch.isActive.load(ordering: .relaxed) else { return }
            if stopped.contains(SlotSet(watch.slot)) || numbers[watch.descriptor] != nil { return _ = stop(number) }
            numbers[watch.descriptor] = number
            follow(watch)
        }
        if isTaken { return number }
        watches.remove(number)
        return 0
    }

    /// Changes what is watched for. Returns false if it is no longer watched. [any]
    func change(_ number: UInt64, _ wanted: plug_readiness) -> Bool {
        guard let watch = watches[number], watch.isActive.load(ordering: .relaxed) else { return false }
        watch.wanted.store(wanted, ordering: .relaxed)
        perform { [self] in if numbers[watch.descriptor] == number { follow(watch) } }
        return true
    }

    /// [loop]
    private func follow(_ watch: Watch) {
        loop.poller.watch(watch.descriptor, Readiness(watch.wanted.load(ordering: .relaxed)), for: participant)
    }

    /// Ends a watch, whose `release` follows, never within this call; false if it had ended. [any]
    func stop(_ number: UInt64) -> Bool {
        guard let watch = watches[number], watch.isActive.exchange(false, ordering: .relaxed) else { return false }
        if loop.isCurrent { drop(watch, number) }
        loop.enqueue { [self] in
            drop(watch, number)
            if watches.remove(number) != nil { watch.release() }
        }
        return true
    }

    /// Ends the watches of a plugin that is switched off, and those that it begins from now on. [loop]
    func stop(of slot: Int) {
        stopped.insert(SlotSet(slot))
        for number in numbers.values where watches[number]?.slot == slot { _ = stop(number) }
    }

    /// Releases all watches: the loop has ended, and the plugins are about to be destroyed.
    func endAll() { for watch in watches.removeAll() { watch.release() } }

    /// [loop]
    private func drop(_ watch: Watch, _ number: UInt64) {
        guard numbers[watch.descriptor] == number else { return }
        numbers[watch.descriptor] = nil
        loop.poller.watch(watch.descriptor, [], for: participant)
        loop.poller.forget(watch.descriptor, at: loop.systemNow)
    }

    /// Runs the job at once on the loop, else soon. Returns false if the loop has ended.
    @discardableResult
    private func perform(_ job: @escaping @Sendable () -> Void) -> Bool {
        if !loop.isCurrent { return loop.enqueue(job) }
        job()
        return true
    }

    private func report(_ descriptor: Int32, _ readiness: Readiness) {
        if let number = numbers[descriptor], let watch = watches[number] { watch.ready(number, readiness.flags) }
    }

    private final class Participant: LoopParticipant {
        var isReady: ((Int32, Readiness) -> Void)?

        override func socketIsReady(_ socket: Int32, _ readiness: Readiness) { isReady?(socket, readiness) }
    }
}

extension Readiness {
    fileprivate init(_ flags: plug_readiness) {
        self = []
        if flags & PLUG_READY_READ != 0 { insert(.read) }
        if flags & PLUG_READY_WRITE != 0 { insert(.write) }
    }

    fileprivate var flags: plug_readiness {
        (contains(.read) ? PLUG_READY_READ : 0) | (contains(.write) ? PLUG_READY_WRITE : 0)
            | (isDisjoint(with: .broken) ? 0 : PLUG_READY_BROKEN)
    }
}
