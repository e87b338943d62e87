import CPlugboard
import PlugboardBorder
internal import PlugboardCurl
import PlugboardEventLoop
import Synchronization

/// The state of one exchange. See `Pipeline.swift` for its life.
///
/// Its parts are structs, each with its own file and methods. They decide and remember; only the exchange calls
/// plugins, bodies and the loop. The parts are not checked for exclusive access at run time, because hooks look at them
/// a hundred times. This is safe: no method of a part calls anything that could come back to the exchange.
///
/// Sendable because, after `init`, it is touched on its loop only; other threads go through `EventLoop.enqueue`.
final class ExchangeCore: OpaqueNode, @unchecked Sendable {
    // Each of these is counted once in an exchange; an unowned reference would be counted at each use.
    let core: KernelCore
    /// The loop on which the exchange is from its beginning to its end.
    let home: KernelLoop
    let pipeline: Pipeline
    let outcome: any ExchangeOutcome
    var loop: EventLoop { home.loop }

    /// Where the head is, and what comes next.
    @exclusivity(unchecked) var steering = Steering()
    @exclusivity(unchecked) var request: InwardRequest
    @exclusivity(unchecked) var response: OutwardResponse?
    // Unchecked, because releasing an error calls no code of the exchange.
    @exclusivity(unchecked) var failure: PlugboardError?
    /// The plugin that responded; nil for a response from the network.
    var responder: Slot?

    /// The call of a plugin's function under way.
    @exclusivity(unchecked) var frame = CallFrame()
    @exclusivity(unchecked) var draft = HookDraft()
    @exclusivity(unchecked) var views = ExchangeViews()
    @exclusivity(unchecked) var states = PluginStates()
    /// The whole body, for the hook that asked to hold it.
    var heldBody: Bytes?
    /// The messages before the hook, for a plugin that is skipped if it is at fault.
    var beforeFault: FoundMessages?
    /// The slots whose plugins were at fault in this exchange.
    var faulted: SlotSet = []

    @exclusivity(unchecked) var attempts = Attempts()
    /// Set only if progress is watched and a plugin wraps the response's body.
    var wrappedProgress: WrappedProgress?
    @exclusivity(unchecked) var family: Family
    @exclusivity(unchecked) var suspension = Suspension()
    var parking: Parking?
    // Unchecked, because releasing a timer calls no code of the exchange.
    @exclusivity(unchecked) var timeout: LoopTimer?
    /// The loop's time when the request began on its way.
    @exclusivity(unchecked) var began: Int64 = 0
    /// The exchange's timeout in nanoseconds, once `timeout` is set.
    var timeoutLimit: Int64 = 0

    /// The attributes of the configuration for this URL's origin, after a plugin has asked for one.
    private var section: (url: String, attributes: [String: String]?)?
    /// Called with the events of this exchange that are wanted.
    private var watch: (@Sendable (ObservedEvent) -> Void)?
    /// The events for which `watch` is called; others are not made for it.
    private(set) var wanted: WantedEvents
    /// Set if a program traces this exchange, or the one that it is for.
    private(set) var trace: ExchangeTrace?

    /// Whether `outcome` was called.
    var isDelivered = false
    let cancelWish = Atomic(false)
    /// The number by which plugins know it; assigned when a plugin asks for it.
    private(set) lazy var number: UInt64 = {
        // An exchange that has ended gets no number, because nothing would remove it from the registry.
        guard home.underWay.contains(self) else { return 0 }
        isNumbered = true
        return home.numbers.add(WeakExchange(exchange: self))
    }()
    private(set) var isNumbered = false
    @exclusivity(unchecked) var links = ExchangeLinks()
    @exclusivity(unchecked) var place: ConnectionPlace?

    /// The exchange must begin, or be refused, after this.
    ///
    /// - Parameters:
    ///   - home: The loop on which it will be.
    ///   - eventExclusions: The slots that get no events in the exchange that this one is for.
    init(
        _ request: consuming Request, home: KernelLoop, outcome: any ExchangeOutcome, family: Family = Family(),
        eventExclusions: SlotSet = [], watch: (@Sendable (ObservedEvent) -> Void)? = nil
    ) {
        self.request = InwardRequest(consume request)
        self.home = home
        core = home.core
        pipeline = core.pipeline
        self.outcome = outcome
        self.family = family
        self.watch = watch
        wanted = watch == nil ? [] : .all
        steering.exclusions = Exclusions(ancestry: family.ancestry, eventExclusions: eventExclusions)
        home.arrive()
    }

    var isSuspended: Bool { suspension.isActive }

    /// Sends this exchange's events and calls to a trace; called before it begins.
    func trace(with trace: ExchangeTrace) {
        self.trace = trace
        home.tracedCount.add(1, ordering: .relaxed)
        // A trace uses the exchange's watcher, so that exchanges without a trace pay nothing for it.
        let watch = watch
        wanted = .all
        self.watch = { event in
            watch?(event)
            trace.add(.event(event))
        }
    }

    /// Sends this exchange's events to the kernel's observers, too; called when it begins.
    func tellObservers() {
        let (own, last) = (watch, core.observers.last)
        if own == nil { wanted = core.observers.wanted }
        watch = { [unowned self] event in
            own?(event)
            core.observers.tell(event, upTo: last, ObservedExchange(self))
        }
    }

    func tellWatch(_ event: ObservedEvent) { watch?(event) }

    // MARK: What C sees

    /// The exchange as C sees it; valid during a call.
    ///
    /// Equals `Unmanaged.toOpaque`, without reference counting, because an exchange needs it a hundred times.
    var pointer: OpaquePointer { unsafeBitCast(self, to: OpaquePointer.self) }

    /// The storage for texts that are handed out now.
    var scratch: Scratch { views.scratch(of: home) }
    /// One of its heads as C sees it.
    func pointer(_ head: HeadView.Kind) -> OpaquePointer {
        OpaquePointer(UnsafeRawPointer(pointer) + Int(head.rawValue))
    }

    // MARK: Attributes

    /// False for most requests; checked first, because plugins ask for many attributes.
    var mayHaveAttributes: Bool {
        !request.head.attributes.isEmpty || !family.outerAttributes.isEmpty || !core.origins.isEmpty
    }

    /// The request's own attributes as the slot that is called sees them: a slot that only watches a sub-request sees
    /// those of the request that it is for.
    private var visibleAttributes: Attributes {
        guard let slot = frame.slot, steering.exclusions.skipped.contains(slot.bit) else {
            return request.head.attributes
        }
        return family.outerAttributes
    }

    /// An attribute as the slot that is called sees it.
    func attribute(_ name: String) -> String? {
        if let value = visibleAttributes[name] { return value }
        return sectionAttributes?[name]
    }

    /// Whether the slot that is called sees any attribute.
    var hasAttributes: Bool {
        mayHaveAttributes && (!visibleAttributes.isEmpty || sectionAttributes?.isEmpty == false)
    }

    /// The attributes of the configuration for this URL's origin.
    private var sectionAttributes: [String: String]? {
        if core.origins.isEmpty { return nil }
        let url = request.head.url
        if section?.url != url { section = (url, core.section(for: url)) }
        return section?.attributes
    }

    /// An attribute by its index, in the order of names, as the slot that is called sees it.
    func attribute(at index: Int) -> (name: String, value: String)? {
        let slot = frame.slot?.index ?? -1
        let list = views.attributes(of: slot) ?? listAttributes(for: slot)
        return index < list.count ? list[index] : nil
    }

    /// Makes the list, which is kept until the hook returns.
    private func listAttributes(for slot: Int) -> ExchangeViews.AttributeList {
        let list = visibleAttributes.values.merging(core.section(for: request.head.url) ?? [:]) { own, _ in own }
            .map { (name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
        views.keep(list, of: slot)
        return list
    }

    /// Sets an attribute that is known to fit. False if the request would have too many.
    func setAttribute(_ name: String, to value: String) -> Bool {
        var attributes = request.head.attributes
        attributes[name] = value
        guard attributes.byteCount <= Attributes.byteLimit else { return false }
        willEditRequest()
        request.head.attributes = attributes
        views.dropAttributes()
        return true
    }

    /// The rules of the pipeline exclude this case. It is an error nevertheless, because an exchange must complete.
    static let lostFailure = PlugboardError(.kernel, "The exchange lost its outcome. Please report this as a bug.")
}

/// A response on its way outward.
struct OutwardResponse {
    var head: ResponseHead
    var body: BodyNode?
    /// Whether a plugin passes on the response to a sub-request of its own.
    var isOfSubRequest = false
}

/// Receives the outcome of an exchange: for a program's task, or for a plugin that sent a sub-request. One of the two
/// functions is called, once, on the loop.
protocol ExchangeOutcome: AnyObject, Sendable {
    func succeed(_ head: consuming ResponseHead, _ body: FlowingBody?, _ exchange: ExchangeCore)
    func fail(_ error: PlugboardError, _ exchange: ExchangeCore)
}

/// An exchange by its number; the list of exchanges under way keeps it alive.
///
/// Sendable because only the loop uses the reference.
struct WeakExchange: @unchecked Sendable {
    unowned(unsafe) let exchange: ExchangeCore
}
