import CPlugboard
import EventLoop
import PlugboardKit
import Synchronization

/// What the kernel knows of one exchange. See `Pipeline.swift` for its life.
///
/// Sendable because, after `init`, it is touched on its loop only; what other threads want of it goes through
/// `EventLoop.enqueue`.
final class ExchangeCore: @unchecked Sendable {
    /// What it is doing.
    enum Phase { case steering, awaiting, flowing, ended }

    let core: KernelCore
    let outcome: any ExchangeOutcome
    let pipeline: Pipeline
    var loop: EventLoop { core.loop }

    /// Given out when somebody asks for it.
    lazy var number: UInt64 = core.register(self)
    var isNumbered = false

    // Where the head stands.
    var phase = Phase.steering
    var stage = Stage.request
    /// An index into the slots of the stage.
    var cursor = 0
    /// Why the hook at the cursor runs.
    var visit = Visit.first
    // What changes turns or versions never comes back to them.
    @exclusivity(unchecked) var turns = Turns()
    /// A bit for each slot that does not take part: switched off by the request, or in a sub-request's ancestry.
    var skipped: UInt64
    /// Those of them that do not because of what the request or its origin says now.
    var switchedOff: UInt64 = 0
    /// A bit for each slot that hears no events: switched off by the request, or by the one that a sub-request is for.
    var deaf: UInt64 = 0
    /// A bit for each slot whose plugin has broken the rules in this exchange.
    var faulted: UInt64 = 0
    /// Of a sub-request: what the request that it is for says to slots that only watch it.
    var outerAttributes = Attributes()

    // The heads and bodies. Hooks look at the heads a hundred times, and nothing looks at one while it changes it.
    @exclusivity(unchecked) var request: Request
    /// The request's body as the pipeline sees it; plugins wrap it.
    var requestBody: BodyNode?
    @exclusivity(unchecked) var response: OutwardResponse?
    var failure: PlugboardError?
    /// The request as slots further out saw it: before the first edit of each slot, in ascending order.
    @exclusivity(unchecked) var versions: [Version] = []
    /// What an outward hook edits counts only if it resends.
    var requestBeforeEdit: Version?
    /// What a plugin found that is passed over when it is at fault.
    var beforeFault: BeforeFault?
    var urlBeforeResend: String?
    /// What the configuration gives requests to this URL's origin, once somebody has asked.
    private var section: (url: String, attributes: [String: String]?)?

    // The call under way. The pipeline keeps its slots.
    var caller: Unmanaged<Slot>?
    var slot: Slot? { caller?.takeUnretainedValue() }
    /// Whether that call is a steering hook's, whose verdict counts.
    var isSteering = false
    var payload: Decision?
    /// Why the host refused a verdict of that call.
    var refusal: String?
    var takenRequestBody: BodyNode?
    var takenResponseBody: BodyNode?
    var heldBody: Bytes?
    /// The attributes as the slot that is called sees them, once it has asked for them one by one.
    var attributeList: [(name: String, value: String)]?
    lazy var scratch = Scratch()
    var usesScratch = false
    lazy var requestHead = HeadNode(.request(self))
    lazy var responseHead = HeadNode(.response(self))
    var states: [Int: Turns.State] = [:]

    // What is awaited.
    var parking: Parking?
    var isSuspended = false
    var whenResumed: [() -> Void] = []
    var timeout: LoopTimer?

    /// Whether `outcome` was told.
    var isDelivered = false

    // The network.
    var attempts = 0
    /// How often the attempt was repeated because the last one met a connection that was just being closed.
    var repeats = 0
    var resends = 0
    /// Where the last attempt went.
    var sentURL: String?
    var attempt: AttemptRun?

    // The queue for connections: see `Admission`.
    var isQueued = false
    var queuedAfter: ExchangeCore?
    unowned(unsafe) var queuedBefore: ExchangeCore?
    let cancelWish = Atomic(false)

    // Relations.
    let depth: Int
    /// The slot of the plugin that sent it; nil for a program's.
    var sender: Int?
    /// The number of the exchange that a sub-request is for.
    var askerNumber: UInt64?
    /// The plugin that responded in place of what lies further in; nil for what came from the network.
    var responder: Slot?
    /// A bit for each plugin that sent a request which led to this one.
    var ancestry: UInt64 = 0
    /// Sub-requests under way that are cancelled with this exchange.
    var children: [ExchangeCore] = []
    /// Whose child it is; that one lets go of its children when it ends.
    unowned(unsafe) var asker: ExchangeCore?
    var watch: (@Sendable (ExchangeEvent) -> Void)?
    /// Nil unless somebody traces it, or the exchange that it is for.
    var trace: ExchangeTrace?
    /// Whether the call that is traced was at fault.
    var faultTold = false
    /// The list of exchanges under way, in the core.
    var following: ExchangeCore?
    unowned(unsafe) var preceding: ExchangeCore?

    /// The request as it was at a slot's call.
    struct Version {
        let slot: Int
        let request: Request
        var body: BodyNode?
    }

    struct BeforeFault {
        let request: Request
        var body: BodyNode?
        var response: OutwardResponse?
    }

    init(
        _ request: Request, core: KernelCore, outcome: any ExchangeOutcome, skipped: UInt64 = 0, depth: Int = 0,
        watch: (@Sendable (ExchangeEvent) -> Void)? = nil
    ) {
        self.request = request
        self.core = core
        pipeline = core.pipeline
        self.outcome = outcome
        self.skipped = skipped
        self.depth = depth
        self.watch = watch
    }

    /// What C sees of it; good as long as a call lasts.
    ///
    /// What `Unmanaged.toOpaque` gives, without counting a reference: a hundred calls of an exchange need it.
    var pointer: OpaquePointer { unsafeBitCast(self, to: OpaquePointer.self) }

    static func from(_ pointer: OpaquePointer) -> ExchangeCore {
        Unmanaged<ExchangeCore>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
    }

    func takesPart(_ slot: Slot) -> Bool {
        skipped & slot.bit == 0 && (stage == .request || turns.isOpen(slot))
    }

    /// Whether anybody has given it any: most requests have none, and plugins ask for many.
    var mayHaveAttributes: Bool {
        !request.attributes.isEmpty || !outerAttributes.isEmpty || !core.origins.isEmpty
    }

    /// An attribute as the slot that is called sees it: who only watches a sub-request goes by the request that it is for.
    func attribute(_ name: String) -> String? {
        let watches = slot.map { skipped & $0.bit != 0 } ?? false
        if let value = (watches ? outerAttributes : request.attributes)[name] { return value }
        if core.origins.isEmpty { return nil }
        if section?.url != request.url { section = (request.url, core.section(for: request.url)) }
        return section?.attributes?[name]
    }

    /// All attributes as the slot that is called sees them, by name; kept until its hook returns.
    func attribute(at index: Int) -> (name: String, value: String)? {
        let list = attributeList ?? listAttributes()
        return index < list.count ? list[index] : nil
    }

    private func listAttributes() -> [(name: String, value: String)] {
        let watches = slot.map { skipped & $0.bit != 0 } ?? false
        let own = (watches ? outerAttributes : request.attributes).values
        let list = own.merging(core.section(for: request.url) ?? [:]) { own, _ in own }
            .map { (name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
        attributeList = list
        usesScratch = true
        return list
    }

    static func runaway(_ count: Int) -> PlugboardError {
        PlugboardError(
            .runaway,
            "The exchange was stopped after it was sent \(count) times (kernel.attemptLimit). "
                + "A plugin may be sending it again without end.")
    }

    /// Unreachable by the rules; an error all the same, for an exchange must complete.
    static let lostFailure = PlugboardError(.kernelError, "The exchange lost its outcome. Please report this as a bug.")
}

/// An answer on its way outward.
struct OutwardResponse {
    var head: ResponseHead
    var body: BodyNode?
    /// Whether a plugin hands on what a sub-request of its own brought.
    var isOfSubRequest = false
}

/// Who gets what came of an exchange: a program's task, or a plugin that sent a sub-request. Called on the loop, one of the two, once.
protocol ExchangeOutcome: AnyObject, Sendable {
    func succeed(_ answer: OutwardResponse, _ body: FlowingBody?, _ exchange: ExchangeCore)
    func fail(_ error: PlugboardError, _ exchange: ExchangeCore)
}
