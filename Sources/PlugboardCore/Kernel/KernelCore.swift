import EventLoop
import PlugboardKit
import Synchronization
import Transporting

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What the exchanges of one kernel share. Lives as long as any of them.
///
/// Sendable because what is not constant is touched on the loop only, or stands under a lock.
final class KernelCore: @unchecked Sendable {
    let settings: KernelSettings
    /// The settings' options, as attempts carry them.
    private let defaults: StoredOptions
    let origins: [Origin: [String: String]]
    let lineup: Lineup
    let log: KernelLog
    let loop: EventLoop
    let transport: any Transport
    private let dataDirectory: DataDirectory
    let attributeCheck: AttributeCheck
    /// The whole names of attributes that their tables flag as secret.
    private let secretAttributes: Set<String>

    let tickets = Registry<ExchangeCore>()
    let pulls = Registry<Pull>()
    let numbers = Registry<WeakExchange>()
    let timers: PluginTimers
    let counters = Counters()
    let replies = Replies()
    let commandCalls = CommandCalls()
    /// Sub-requests without an answer.
    let subRequests = Registry<SubRequestOutcome>()
    /// Whether all plugins are created.
    let isStarted = Atomic(false)

    /// Set once, before the first exchange.
    private(set) var pipeline = Pipeline([])

    // Containment: see `KernelCore+Containment.swift`.
    let crashNote: CrashNote?
    let mark: CallMark
    let sideMarks: SideMarks?
    /// Set once, before the first exchange; nil again at the end.
    var watchdog: Watchdog?
    /// Set once, before the first exchange.
    var measures: HookMeasures?
    /// A bit for each slot that was switched off because of its faults. [loop]
    var disabled: UInt64 = 0
    /// A bit for each slot whose last exchange had a fault. [loop]
    var faulty: UInt64 = 0
    /// The program's, for facts about the kernel. [loop]
    let watch: (@Sendable (ExchangeEvent) -> Void)?

    /// How many of the exchanges under way are traced. [loop]
    private(set) var tracedCount = 0
    /// What plugins are being told by `pulled`, the innermost last. [loop]
    var told: [PieceTelling.Told] = []

    // The exchanges under way, in a list of their own so that coming and going costs nothing. [loop]
    private var first: ExchangeCore?
    private(set) var count = 0
    private var isClosing = false
    private var isClosed = false
    private var whenIdle: [() -> Void] = []

    let admission: Admission
    private var nextIdentity: UInt64 = 1

    /// An exchange by its number; the list above keeps it alive.
    ///
    /// Sendable because only the loop looks behind the reference.
    struct WeakExchange: @unchecked Sendable {
        unowned(unsafe) let exchange: ExchangeCore
    }

    init(
        settings: KernelSettings, origins: [Origin: [String: String]], lineup: Lineup, log: KernelLog,
        loop: EventLoop, transport: any Transport, crashNote: CrashNote? = nil,
        watch: (@Sendable (ExchangeEvent) -> Void)? = nil
    ) {
        self.settings = settings
        defaults = StoredOptions(settings.defaults)
        self.origins = origins
        self.lineup = lineup
        self.log = log
        self.loop = loop
        self.transport = transport
        attributeCheck = AttributeCheck(lineup)
        secretAttributes = Set(lineup.plugins.flatMap(\.descriptor.secretAttributes))
        timers = PluginTimers(loop: loop)
        admission = Admission(limit: settings.connections, loop: loop)
        dataDirectory = DataDirectory(settings)
        self.crashNote = crashNote
        mark = CallMark(in: crashNote)
        sideMarks = crashNote.map { SideMarks(in: $0) }
        self.watch = watch
    }

    /// The plugins are created: from here on they take part.
    func install(_ slots: [Slot]) {
        pipeline = Pipeline(slots)
        beginContainment()
        isStarted.store(true, ordering: .releasing)
    }

    // MARK: Exchanges under way

    /// False while the kernel is shutting down.
    func enter(_ exchange: ExchangeCore) -> Bool {
        guard !isClosed, !isClosing || exchange.depth > 0 else { return false }
        exchange.following = first
        first?.preceding = exchange
        first = exchange
        count += 1
        if exchange.trace != nil { tracedCount += 1 }
        return true
    }

    func leave(_ exchange: ExchangeCore) {
        let following = exchange.following
        following?.preceding = exchange.preceding
        if let preceding = exchange.preceding {
            preceding.following = following
        } else if first === exchange {
            first = following
        } else {
            return
        }
        exchange.following = nil
        exchange.preceding = nil
        count -= 1
        if exchange.trace != nil { tracedCount -= 1 }
        if count == 0 && !whenIdle.isEmpty {
            let jobs = whenIdle
            whenIdle = []
            for job in jobs { job() }
        }
    }

    /// The exchanges under way, as they are now, the oldest first. [loop]
    ///
    /// In that order libcurl finds a connection that is to go at the beginning of its list, which it walks for each:
    /// the other way around, ten thousand take seconds.
    var exchanges: [ExchangeCore] {
        var all: [ExchangeCore] = []
        var next = first
        while let exchange = next {
            all.append(exchange)
            next = exchange.following
        }
        return all.reversed()
    }

    /// No more requests; runs the job when the last exchange has left. [loop]
    func close(_ job: @escaping () -> Void) {
        isClosing = true
        if count == 0 { job() } else { whenIdle.append(job) }
    }

    /// Ends what is under way, and takes nothing any more, sub-requests neither. [loop]
    func cancelAll(_ error: PlugboardError) {
        isClosed = true
        for exchange in exchanges { exchange.cancel(error) }
    }

    /// The loop has ended: readers of commands' bodies and callers of commands get this error, for no plugin will answer them. [any]
    func failWhatWaits(_ error: PlugboardError) {
        for pull in pulls.removeAll() { pull.fail(error) }
        replies.failAll(error)
    }

    func register(_ exchange: ExchangeCore) -> UInt64 {
        exchange.isNumbered = true
        return numbers.add(WeakExchange(exchange: exchange))
    }

    func unregister(_ exchange: ExchangeCore) { numbers.remove(exchange.number) }

    /// [loop]
    func exchange(_ number: UInt64) -> ExchangeCore? { numbers[number]?.exchange }

    // MARK: What requests may say

    /// What is wrong with a request before it is sent, or nil.
    func check(_ request: Request) -> PlugboardError? {
        guard request.method.isValid else {
            return PlugboardError(.invalidField, "The method is no token (RFC 9110 §9.1). Use letters, such as GET.")
        }
        return attributeCheck.error(in: request.attributes) ?? request.storedOptions?.options.error
    }

    /// The slots that `ID.enabled = false` switches off: in a request's attributes, or else for its origin.
    func switchedOff(by attributes: Attributes, for url: String) -> UInt64 {
        if attributes.isEmpty && origins.isEmpty { return 0 }
        let section = section(for: url)
        return pipeline.slots.reduce(0) { slots, slot in
            let name = "\(slot.id).enabled"
            return (attributes[name] ?? section?[name]) == "false" ? slots | slot.bit : slots
        }
    }

    /// What the configuration gives requests to a URL's origin.
    func section(for url: String) -> [String: String]? {
        origins.isEmpty ? nil : Origin(url: url).flatMap { origins[$0] }
    }

    func removeSecrets(from attributes: inout Attributes) {
        for name in attributes.values.keys where secretAttributes.contains(name) { attributes[name] = nil }
    }

    /// A request's own options over the kernel's, and a number that is the same only for the same options.
    func options(_ requested: StoredOptions?, for url: String) -> (StoredOptions, UInt64) {
        if requested == nil, settings.pins.isEmpty { return (defaults, 0) }
        var options = requested?.options.over(settings.defaults) ?? settings.defaults
        var isOwn = requested == nil
        if options.pins == nil, let host = Origin(url: url)?.host, let pins = settings.pins[host] {
            options.pins = pins.joined(separator: ";")
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
                guard disabled & slot.bit == 0 else { return }
                calling(slot, .onEvent) { slot.plugin.pointee.on_event?(slot.instance, nil, event.pointer) }
            }
        }
        watch?(event.exchangeEvent)
    }

    /// The loop's clock; off the loop what it would read now. [any]
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
