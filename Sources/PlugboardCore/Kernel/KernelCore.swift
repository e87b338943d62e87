import PlugboardEventLoop
import PlugboardKit
import PlugboardTransport
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What the exchanges of one kernel share. Lives as long as any of them.
///
/// Sendable because what changes is touched on the loop only, or is under a lock.
final class KernelCore: @unchecked Sendable {
    let settings: KernelSettings
    /// The settings' options, as attempts carry them.
    let defaults: StoredOptions
    let origins: [Origin: [String: String]]
    let resolved: ResolvedPlugins
    let log: KernelLog
    let loop: EventLoop
    let transport: any Transport
    private let dataDirectory: DataDirectory
    /// What `dataDirectory` is when the plugins are started; a check creates them with another one.
    let startingData: DataDirectory
    let attributeCheck: AttributeCheck
    /// The full names of attributes that are secret.
    private let secretAttributes: Set<String>

    let tickets = Registry<ExchangeCore>()
    let pulls = Registry<Pull>()
    let numbers = Registry<WeakExchange>()
    let timers: PluginTimers
    let counters = Counters()
    let replies = Replies()
    let commandCalls = CommandCalls()
    let network = NetworkWatch()
    /// Sub-requests without a response.
    let subRequests = Registry<SubRequestOutcome>()
    /// Whether all plugins are created.
    let isStarted = Atomic(false)

    /// Set once, before the first exchange.
    private(set) var pipeline = Pipeline([])

    let containment: Containment
    /// The slots that were switched off because of faults. [loop]
    var disabled: SlotSet = []
    /// The slots that have faults in a row. [loop]
    var faulty: SlotSet = []

    /// The program's, for facts about the kernel. [loop]
    let watch: (@Sendable (ObservedEvent) -> Void)?
    /// The pieces that plugins receive now in `pulled`, the innermost call last. [loop]
    var delivered: [PieceDelivery.Delivered] = []

    /// [loop]
    @exclusivity(unchecked) var underWay = UnderWayExchanges()
    let admission: Admission
    let outcomes: OutcomeBatch
    /// Makes the kernel's next event; nil while it makes one. [loop]
    @exclusivity(unchecked) var idleEvent: EventNode? = EventNode(.created, nil, nil)
    private var nextIdentity: UInt64 = 1

    init(
        settings: KernelSettings, origins: [Origin: [String: String]], resolved: ResolvedPlugins, log: KernelLog,
        loop: EventLoop, transport: any Transport, crashNote: CrashNote? = nil,
        startingData: DataDirectory? = nil,
        watch: (@Sendable (ObservedEvent) -> Void)? = nil
    ) {
        self.settings = settings
        defaults = StoredOptions(settings.defaults)
        self.origins = origins
        self.resolved = resolved
        self.log = log
        self.loop = loop
        self.transport = transport
        attributeCheck = AttributeCheck(resolved)
        secretAttributes = Set(resolved.plugins.flatMap(\.descriptor.secretAttributes))
        timers = PluginTimers(loop: loop)
        admission = Admission(
            limit: settings.connections, hostLimit: settings.connectionsPerHost, loop: loop)
        outcomes = OutcomeBatch(loop: loop)
        dataDirectory = DataDirectory(settings)
        self.startingData = startingData ?? dataDirectory
        containment = Containment(crashNote, loop: loop)
        self.watch = watch
    }

    /// All plugins are created; from here on they take part.
    func install(_ slots: [Slot]) {
        pipeline = Pipeline(slots)
        beginContainment()
        isStarted.store(true, ordering: .releasing)
    }

    // MARK: Exchanges under way

    /// The exchange has ended. [loop]
    func leave(_ exchange: ExchangeCore) {
        for job in underWay.remove(exchange) { job() }
    }

    /// Takes no more requests; runs the job when the last exchange has left. [loop]
    func close(_ job: @escaping () -> Void) {
        if underWay.close(job) { job() }
    }

    /// Ends what is under way, and takes nothing any more, not even sub-requests. [loop]
    func cancelAll(_ error: PlugboardError) {
        for exchange in underWay.closeAtOnce() { exchange.cancel(error) }
    }

    /// The loop has ended: readers of commands' bodies and callers of commands get this error, because no plugin will
    /// reply. [any]
    func failWhatWaits(_ error: PlugboardError) {
        for pull in pulls.removeAll() { pull.fail(error) }
        replies.failAll(error)
    }

    /// [loop]
    func exchange(_ number: UInt64) -> ExchangeCore? { numbers[number]?.exchange }

    // MARK: Checks of requests

    /// The error of a request that cannot be sent, or nil.
    func check(_ request: Request) -> PlugboardError? {
        guard request.method.isValid else {
            return PlugboardError(.requestField, "The method is not a token (RFC 9110 §9.1). Use letters, such as GET.")
        }
        return attributeCheck.error(in: request.attributes) ?? request.storedOptions?.options.error
    }

    /// The slots that `ID.enabled = false` switches off: in a request's attributes, or else for its origin.
    func switchedOff(by attributes: Attributes, for url: String) -> SlotSet {
        if attributes.isEmpty && origins.isEmpty { return [] }
        let section = section(for: url)
        return pipeline.slots.reduce(into: []) { slots, slot in
            let name = "\(slot.id).enabled"
            if (attributes[name] ?? section?[name]) == "false" { slots.insert(slot.bit) }
        }
    }

    /// The attributes that the configuration gives to requests to a URL's origin.
    func section(for url: String) -> [String: String]? {
        origins.isEmpty ? nil : Origin(url: url).flatMap { origins[$0] }
    }

    /// Removes the attributes that are secret: the request goes to another origin.
    func removeSecrets(from attributes: inout Attributes) {
        for name in attributes.values.keys where secretAttributes.contains(name) { attributes[name] = nil }
    }

    /// A request's own options over the kernel's, and a number that is the same only for the same options.
    func options(_ requested: StoredOptions?, for url: String) -> (StoredOptions, UInt64) {
        if requested == nil, settings.pins.isEmpty { return (defaults, 0) }
        var options = requested?.options.over(settings.defaults) ?? settings.defaults
        var isOwn = requested == nil
        if options.tls.pins == nil, let host = Origin(url: url)?.host, let pins = settings.pins[host] {
            options.tls.pins = pins
            isOwn = false
        }
        if isOwn { return (defaults, 0) }
        nextIdentity += 1
        return (StoredOptions(options), nextIdentity)
    }

    // MARK: Services

    /// A fact about the kernel. [loop]
    func publish(_ event: EventNode) {
        for slot in pipeline.watchers.slots(event.id) {
            slot._withUnsafeGuaranteedRef { slot in
                guard !disabled.contains(slot.bit) else { return }
                containment.call(slot.index, .onEvent) {
                    slot.plugin.pointee.on_event?(slot.instance, nil, event.pointer)
                }
            }
        }
        watch?(event.observed)
    }

    /// The loop's time; on other threads the time now. [any]
    func monotonicTime() -> Int64 { loop.isCurrent ? loop.now : loop.clock?.now ?? clockTime(CLOCK_MONOTONIC) }

    /// Since 1970-01-01 00:00 UTC. [any]
    func wallTime() -> Int64 { loop.clock?.wallClock ?? clockTime(CLOCK_REALTIME) }

    /// `FOLDER/ID`, made with mode 0700.
    func makeDataDirectory(_ id: String) -> DataDirectory.Folder {
        let folder = dataDirectory.make(id)
        if case .missing(let reason?) = folder { log.write(.warning, id, reason) }
        return folder
    }
}
