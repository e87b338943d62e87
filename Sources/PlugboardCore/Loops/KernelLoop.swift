import PlugboardBorder
internal import PlugboardCurl
import PlugboardEventLoop
import PlugboardTransport
import Synchronization

/// One event loop of a kernel, with all that only its exchanges use. An exchange is on one loop from begin to end.
///
/// Sendable because what changes is touched on the loop only, is atomic, or is under a lock.
final class KernelLoop: @unchecked Sendable {
    /// The core that made it and keeps it alive. Code that uses a loop later must hold the core, too.
    unowned(unsafe) private(set) var core: KernelCore!
    /// 0 for the first.
    let index: Int
    let loop: EventLoop
    /// The loop's own, or the one that the program has given for all loops.
    let transport: any Transport
    /// Whether this loop calls `forget` and `shutDown` of its transport: each loop does for its own transport, and the
    /// first loop does for a transport that the program has given.
    let tellsTransport: Bool
    let containment: Containment
    let limits: ConnectionLimits
    let timers: PluginTimers
    let watches: PluginWatches

    // The numbers of a loop say which loop they belong to: `KernelCore.home(of:)`.
    let tickets: Registry<ExchangeCore>
    let pulls: Registry<Pull>
    let numbers: Registry<WeakExchange>
    /// Sub-requests without a response.
    let subRequests: Registry<SubRequestOutcome>

    /// The pieces that plugins receive now in `pulled`, the innermost call last. [loop]
    var delivered: [PieceDelivery.Delivered] = []
    /// The exchange whose hook runs; it is alive as long. [loop]
    @exclusivity(unchecked) unowned(unsafe) var calling: ExchangeCore?
    /// [loop]
    @exclusivity(unchecked) var underWay = UnderWayExchanges()
    /// The outcomes of this turn, for the program's tasks. [loop]
    let outcomes: OutcomeBatch
    /// [loop]
    var chain = EventChain()
    /// The node for the loop's next event; nil while it is in use. [loop]
    @exclusivity(unchecked) var idleEvent: EventNode? = EventNode(.created)
    /// The storage for the texts that a hook gets; nil while it is in use. [loop]
    @exclusivity(unchecked) var idleScratch: Scratch?
    /// The number of `kernel.connections.waited`; 0 before an attempt has waited. [loop]
    var waitMetric: UInt64 = 0
    private var lastIdentity: UInt64
    private let identityStep: UInt64

    /// How many exchanges are on this loop, or on their way to it; 0 where it is the only one. [any]
    var exchangeCount: Int { load.value }
    /// How many of them are traced. [any]
    let tracedCount = Atomic(0)
    /// Changed by every thread that sends requests.
    private let load = LoneCount()
    private let isAlone: Bool

    /// An event loop and its transport.
    struct Parts {
        let loop: EventLoop
        let transport: any Transport
        /// Whether the transport serves other loops too.
        var isShared = false
    }

    /// - Parameters:
    ///   - index: Its index among the loops of the kernel.
    ///   - count: How many loops the kernel has.
    init(_ parts: Parts, index: Int, of count: Int, _ settings: KernelSettings, _ note: CrashNote?) {
        self.index = index
        (loop, transport) = (parts.loop, parts.transport)
        isAlone = count == 1
        tellsTransport = !parts.isShared || index == 0
        containment = Containment(note, loop: loop, index: index)
        limits = ConnectionLimits(
            all: LimitShare(of: settings.connections, index: index, count: count),
            perHost: LimitShare(of: settings.connectionsPerHost, index: index, count: count), loop: loop)
        tickets = Registry(index, of: count)
        pulls = Registry(index, of: count)
        numbers = Registry(index, of: count)
        subRequests = Registry(index, of: count)
        timers = PluginTimers(loop: loop, index: index, of: count)
        watches = PluginWatches(loop: loop, index: index, of: count)
        outcomes = OutcomeBatch(loop: loop)
        lastIdentity = UInt64(index)
        identityStep = UInt64(count)
    }

    /// Called once, by the core that made it.
    func belong(to core: KernelCore) { self.core = core }

    // MARK: Exchanges under way

    /// Notes that an exchange is placed on this loop. [any]
    @inline(__always)
    func arrive() {
        if !isAlone { load.add(1) }
    }

    /// Notes that an exchange that was placed on this loop has ended, or was refused.
    @inline(__always)
    func depart(_ exchange: ExchangeCore) {
        if !isAlone { load.add(-1) }
        if exchange.trace != nil { tracedCount.subtract(1, ordering: .relaxed) }
    }

    /// Called when the exchange has ended. [loop]
    func leave(_ exchange: ExchangeCore) {
        depart(exchange)
        underWay.remove(exchange)?.count()
    }

    /// Refuses further requests, and counts when the last exchange has left. [loop]
    func close(_ idle: Countdown) {
        if underWay.close(idle) { idle.count() }
    }

    /// Ends all exchanges, and refuses everything from now on, even sub-requests. [loop]
    func cancelAll(_ error: PlugboardError) {
        for exchange in underWay.closeAtOnce() { exchange.cancel(error) }
    }

    /// The exchange of this number, if it is under way on this loop. [loop]
    func exchange(_ number: UInt64) -> ExchangeCore? { numbers[number]?.exchange }

    // MARK: Services

    /// A number for a request's own options, which no other options have on any loop. [loop]
    func nextIdentity() -> UInt64 {
        lastIdentity += identityStep
        return lastIdentity
    }

    /// Delivers an event about the kernel. [loop]
    func publish(_ event: EventNode) {
        var left = core.pipeline.watchers.listeners(event.id)
        while let slot = left.takeOutermost() {
            // A plugin may be switched off while another one gets the event.
            if core.faults.disabled.contains(SlotSet(slot)) { continue }
            let listener = core.pipeline.tables.event.callees[slot]
            containment.call(slot, .onEvent) { listener.function(listener.instance, nil, event.pointer) }
        }
        core.tell(event.kind, event.observed)
    }
}
