import CPlugboard
import PlugboardBorder
import PlugboardEventLoop
import PlugboardSystem
import PlugboardTransport
import Synchronization

/// What the exchanges of one kernel share on all its loops. Lives as long as any of them.
///
/// Sendable because what changes is atomic, is under a lock, or is set before the first exchange and after the last.
final class KernelCore: @unchecked Sendable {
    let settings: KernelSettings
    /// The settings' options, as attempts carry them.
    let defaults: StoredOptions
    let routes: ConfiguredRoutes
    let origins: [Origin: [String: String]]
    let resolved: ResolvedPlugins
    let log: KernelLog
    /// The loops, at least one; each `EventLoop` has its index here as its number.
    let loops: [KernelLoop]
    /// The first of them.
    let first: KernelLoop
    private let dataDirectory: DataDirectory
    /// The data directory at a start; a check creates the plugins with another `dataDirectory`.
    let startingData: DataDirectory
    /// The folder where the configuration's relative paths begin; nil if the process's folder is gone.
    let configurationFolder: String?
    let attributeCheck: AttributeCheck
    /// The full names of attributes that are secret.
    private let secretAttributes: Set<String>
    /// The names that the configuration adds to those of fields that are always secret.
    private let secretFields: [FieldName]

    let metrics = Metrics()
    let replies = Replies()
    let commandCalls = CommandCalls()
    let blocking = BlockingPool()
    /// The services of the started plugins, by their ids.
    let services = Mutex<[String: Service]>([:])
    let network: KernelNetwork
    /// Whether all plugins are created.
    let isStarted = Atomic(false)

    /// Set once, before the first exchange.
    private(set) var pipeline = Pipeline([])

    private let crashNote: CrashNote?
    /// Set before the first exchange.
    var watchdog: Watchdog?
    let faults = PluginFaults()
    /// The slots that were disabled because of faults. [any]
    @inline(__always)
    var disabled: SlotSet { faults.disabled.union(SlotSet(rawValue: switchedOff.load(ordering: .relaxed))) }
    /// The slots that the program has switched off for new exchanges.
    let switchedOff = Atomic<UInt64>(0)

    /// When a shutdown stops to wait for exchanges, on the monotonic clock.
    let closingTime = Atomic(Int64.max)

    /// The program's function for facts about the kernel; called on every loop.
    let watch: (@Sendable (ObservedEvent) -> Void)?
    let observers = Observers()

    init(
        settings: KernelSettings, origins: [Origin: [String: String]], resolved: ResolvedPlugins, log: KernelLog,
        loops: [KernelLoop.Parts], crashNote: CrashNote? = nil,
        startingData: DataDirectory? = nil, configurationFolder: String? = nil, network: (any NetworkSource)? = nil,
        watch: (@Sendable (ObservedEvent) -> Void)? = nil
    ) {
        self.settings = settings
        defaults = StoredOptions(settings.defaults)
        routes = ConfiguredRoutes(settings)
        self.origins = origins
        self.resolved = resolved
        self.log = log
        self.loops = loops.enumerated().map { index, parts in
            KernelLoop(parts, index: index, of: loops.count, settings, crashNote)
        }
        first = self.loops[0]
        self.crashNote = crashNote
        attributeCheck = AttributeCheck(resolved)
        secretFields = settings.secretFields.map { FieldName($0) }
        secretAttributes = Set(resolved.plugins.flatMap(\.descriptor.secretAttributes))
        dataDirectory = DataDirectory(settings)
        self.startingData = startingData ?? dataDirectory
        self.network = KernelNetwork(network)
        self.configurationFolder = configurationFolder ?? SmallFile.folder(of: "")
        self.watch = watch
        for home in self.loops {
            home.belong(to: self)
            ConnectionMetrics.count(on: home.loop, in: metrics)
        }
    }

    /// Called when all plugins are created. From now on, they take part.
    func install(_ slots: [Slot]) {
        pipeline = Pipeline(slots)
        beginContainment()
        isStarted.store(true, ordering: .releasing)
    }

    // MARK: Loops

    /// The loop on whose thread this is called; nil on other threads. [any]
    var current: KernelLoop? {
        if loops.count == 1 {
            return Unmanaged.passUnretained(first.loop)._withUnsafeGuaranteedRef { $0.isCurrent } ? first : nil
        }
        guard let number = EventLoop.runningNumber, number < loops.count else { return nil }
        // It may be the loop of another kernel.
        return loops[number].loop.isCurrent ? loops[number] : nil
    }

    /// The loop that the registries' number belongs to, even if it is stale. [any]
    func home(of number: UInt64) -> KernelLoop {
        loops.count == 1 ? first : loops[Int(number % UInt64(loops.count))]
    }

    /// The loop for a request that is sent on this thread: this thread's own, or else the one with the fewest
    /// exchanges. [any]
    func place() -> KernelLoop { current ?? idlest }

    /// The loop with this number of the ABI. For 0 and for unknown numbers, the current loop, or else the first. [any]
    func loop(_ number: plug_loop) -> KernelLoop {
        number > 0 && number <= loops.count ? loops[Int(number) - 1] : current ?? first
    }

    /// The loop with the fewest exchanges, the first of several. [any]
    ///
    /// So requests that follow one another use one loop and its kept connection, and many at once use all loops.
    var idlest: KernelLoop {
        if loops.count == 1 { return first }
        var (chosen, least) = (first, first.exchangeCount)
        for home in loops where home.exchangeCount < least { (chosen, least) = (home, home.exchangeCount) }
        return chosen
    }

    /// The loop for a sub-request that is for no exchange: the calling loop; off the loops, one with an exchange that
    /// is traced, because the sub-request may belong to its trace; otherwise the one with the fewest exchanges. [any]
    func placeDetached() -> KernelLoop {
        if loops.count == 1 { return first }
        return current ?? loops.first { $0.tracedCount.load(ordering: .relaxed) > 0 } ?? idlest
    }

    /// Tells each transport something on its loop, and then calls `done`, on one of these loops, or,
    /// if these have ended, on this thread. [any]
    func withTransports(
        _ use: @escaping @Sendable (any Transport) -> Void, done: @escaping @Sendable () -> Void = {}
    ) {
        let homes = loops.filter(\.tellsTransport)
        let left = Countdown(homes.count, done)
        for home in homes {
            let isTaken = home.loop.enqueue { [self] in
                withExtendedLifetime(self) { use(home.transport) }
                left.count()
            }
            if !isTaken { left.count() }
        }
    }

    /// Which facts about the kernel are watched. [any]
    var wanted: WantedEvents { watch == nil ? observers.wanted : .all }

    /// Tells the program a fact about the kernel, if it is wanted. [loop]
    func tell(_ kind: WantedEvents, _ event: @autoclosure () -> ObservedEvent) {
        guard !wanted.isDisjoint(with: kind) else { return }
        let event = event()
        watch?(event)
        observers.tell(event, nil)
    }

    /// Called when no plugin is called any more, and the loops have ended.
    func endContainment() {
        watchdog = nil
        // The watchdog's thread may keep the marks, and with them the note, a little longer.
        crashNote?.remove()
    }

    /// Calls a function of the plugin in this slot, on any thread.
    func call<Result>(_ slot: Int, _ hook: CalledHook, _ function: () -> Result) -> Result {
        (current ?? first).containment.call(slot, hook, function)
    }

    /// Called when the loops have ended. Readers of commands' bodies and callers of commands get this error, because no
    /// plugin will reply. [any]
    func failWhatWaits(_ error: PlugboardError) {
        for home in loops { for pull in home.pulls.removeAll() { pull.fail(error) } }
        replies.failAll(error)
    }

    // MARK: Checks of requests

    /// The error of a request that cannot be sent, or nil.
    func check(_ method: Method, _ attributes: Attributes, _ options: StoredOptions?) -> PlugboardError? {
        guard method.isValid else {
            return PlugboardError(.requestField, "The method is not a token (RFC 9110 §9.1). Use letters, such as GET.")
        }
        if let error = attributeCheck.error(in: attributes) { return error }
        return options?.options.error
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

    /// Marks the fields that the configuration names as secret.
    @inline(__always)
    func markSecrets(in fields: inout Fields) {
        if secretFields.isEmpty { return }
        for name in secretFields { fields.markSecret(name) }
    }

    func removeSecrets(from attributes: inout Attributes) {
        for name in attributes.values.keys where secretAttributes.contains(name) { attributes[name] = nil }
    }

    /// A request's own options over the kernel's, and a number that is the same only for the same options. Called on
    /// the loop of the exchange.
    func options(_ requested: StoredOptions?, for url: String, on home: KernelLoop) -> (StoredOptions, UInt64) {
        if requested == nil, settings.pins.isEmpty { return (defaults, 0) }
        var options = requested?.options.over(settings.defaults) ?? settings.defaults
        var isOwn = requested == nil
        if options.tls.pins == nil, let host = Origin(url: url)?.host, let pins = settings.pins[host] {
            options.tls.pins = pins
            isOwn = false
        }
        if isOwn { return (defaults, 0) }
        return (StoredOptions(options), home.nextIdentity())
    }

    // MARK: Services

    /// `FOLDER/ID`, made with mode 0700.
    func makeDataDirectory(_ id: String) -> DataDirectory.Folder {
        let folder = dataDirectory.make(id)
        if case .missing(let reason?) = folder { log.write(.warning, id, reason) }
        return folder
    }
}
