import CPlugboard
import PlugboardBorder
internal import PlugboardCurl
import PlugboardEventLoop
import PlugboardSystem
import PlugboardTransport
import Synchronization

/// Sends the requests of a program through the plugins that its configuration and its code enable.
///
///     let kernel = try Kernel(configuration: .file("plugboard.json"))
///     let response = try await kernel.send(Request(.get, "https://example.com/"))
///
/// A program can give plugins in code, with or without a configuration:
///
///     let kernel = try Kernel(plugins: [.redirect, .retry { $0.attempts = 3 }, .linked(Sign(keys))])
///
/// One kernel serves a whole program, from any task. Its hooks and its network run on a thread of its own, the loop, or
/// on several (`KernelSettings.loops`); each exchange is on one of them from begin to end.
/// Dropping the last reference shuts it down and cancels all exchanges at once; `shutDown` waits for them.
public final class Kernel: PluginCommands, RequestSender {
    /// The version of this kernel: major.minor.patch.
    public static let version = "0.1.0"

    let core: KernelCore
    private let requestDefaults: RequestDefaults?
    private let atSend: (@Sendable (inout Request) -> Void)?
    let control: (any ControlSocket)?
    let life = Mutex(Life.running)

    enum Life {
        case running
        /// The kernel shuts down; these calls wait for its end.
        case closing([UnsafeContinuation<Void, Never>])
        case closed
    }

    /// Starts the plugins. Called once, not on a loop; blocks while the plugins start.
    ///
    /// Throws `configuration` or `plugin.…` with all errors at once (`Configuration.errors`), and `resources`
    /// if the system gives no file descriptor or no thread.
    /// - Parameters:
    ///   - plugins: Plugins that the program's code gives: they are enabled with the values that the code gives,
    ///     and where the configuration has an entry for the same plugin, each value of that entry replaces the code's,
    ///     and its `"enabled": false` leaves the plugin out.
    ///   - catalog: the plugins that are linked into the program, for the configuration to name; none by default. With
    ///     `import Plugboard` all bundled ones.
    ///   - loader: opens plugins that are shared objects: `.dynamic` of the module PluginLoader.
    ///   - control: listens at the socket that the configuration names as `kernel.control`: `.socket` of the module
    ///     PlugboardControl.
    ///   - network: watches the system's network for plugins that list the event `networkChanged`: `.system` of the
    ///     module PlugboardReachability.
    ///   - transport: libcurl's by default. A transport that is given here serves all loops, and is called on several
    ///     at once if the kernel has several.
    ///   - log: standard error by default, at the configuration's level.
    ///   - watch: called on the loops, on several at once if there are several, with facts about the kernel: events
    ///     that plugins publish outside of an exchange, that a plugin had a fault (`pluginFaulted`), was disabled
    ///     (`pluginDisabled`), or blocked the loop (`pluginStalled`), that the network has changed (`networkChanged`),
    ///     and that the kernel is being shut down (`closing`). Must not block.
    ///   - atSend: called with each request of the program, in the task that sends it, before any plugin. It can copy
    ///     values of that task, such as a task local, into attributes of the request, where plugins read them. Not
    ///     called for sub-requests of plugins. Must not block.
    public init(
        configuration: Configuration = Configuration(), plugins: [PluginEntry] = [], catalog: Catalog = Catalog(),
        loader: (any PluginFileLoader)? = nil, control: (any ControlListener)? = nil,
        network: (any NetworkSource)? = nil, transport: (any Transport)? = nil, log: KernelLog? = nil,
        clock: ManualClock? = nil,
        watch: (@Sendable (ObservedEvent) -> Void)? = nil, atSend: (@Sendable (inout Request) -> Void)? = nil
    ) throws(PlugboardError) {
        self.atSend = atSend
        let configuration = plugins.isEmpty ? configuration : configuration.adding(plugins)
        let log = log ?? .standardError(level: configuration.kernel.logLevel)
        CrashNote.report(configuration, to: log)
        let check = ResolvedPlugins.check(configuration, catalog: catalog, loader: loader)
        // Only plugins can check some of their settings. They are created for that only if there are other errors
        // already.
        guard let resolved = check.resolved, configuration.ownErrors.isEmpty else {
            throw PlugboardError(configuration.errors(check))
        }
        for warning in resolved.warnings { log.write(.warning, "kernel", warning) }
        self.control = try configuration.listen(with: control)
        let settings = configuration.kernel.normalizingPins
        let loops = try Kernel.makeLoops(settings.loopCount { log.write(.warning, "kernel", $0) }, clock)
        requestDefaults = RequestDefaults(settings)
        let core = KernelCore(
            settings: settings, origins: configuration.origins.mapValues(\.values), resolved: resolved, log: log,
            loops: loops.map { loop in
                KernelLoop.Parts(
                    loop: loop,
                    transport: transport
                        ?? CurlTransport(
                            loop: loop, settings: Kernel.transportSettings(settings, loops: loops.count)),
                    isShared: transport != nil)
            },
            crashNote: CrashNote(running: resolved.plugins, configuration),
            configurationFolder: configuration.folder, network: network, watch: watch)
        self.core = core
        var created: [Slot] = []
        do {
            try Startup(core: core).run(&created, configuration)
            core.startNetworkForPlugins()
        } catch {
            for home in core.loops { home.timers.stopAll() }
            // Before the plugins are destroyed, because the loops call them. The first loop is the last, because it
            // shuts down a transport that all use.
            for home in core.loops.reversed() {
                home.loop.enqueue {
                    home.cancelAll(PlugboardError(.shutDown, "The kernel could not be started."))
                    if home.tellsTransport { home.transport.shutDown() }
                }
                home.loop.stop()
            }
            for home in core.loops { home.watches.endAll() }
            Startup(core: core).destroy(created)
            core.endContainment()
            life.withLock { $0 = .closed }
            self.control?.close()
            throw error
        }
        self.control?.serve(self)
    }

    deinit {
        control?.close()
        guard case .running = life.withLock({ $0 }) else { return }
        let core = core
        Task.detached { await Kernel.close(core, within: .zero) }
    }

    /// Completes a request with the kernel's settings and by `atSend`. Called in the task of the program.
    private func completed(_ request: Request) -> Request {
        guard requestDefaults != nil || atSend != nil else { return request }
        var request = requestDefaults?.complete(request) ?? request
        atSend?(&request)
        return request
    }

    /// Sends a request and returns when the response's head has passed the plugins; the body is then read from the
    /// response.
    ///
    /// Cancelling the task cancels the exchange, and throws a `PlugboardError` of the code `cancelled`, never a
    /// `CancellationError`. Dropping the response's body before its end cancels the exchange too.
    public nonisolated(nonsending) func send(_ request: Request) async throws(PlugboardError) -> Response {
        let outcome = ProgramOutcome()
        let current = core.current
        let home = current ?? core.idlest
        let exchange = ExchangeCore(completed(request), home: home, outcome: outcome)
        // A task on the loop's executor does not run inside a hook, so the exchange can begin at once.
        if current != nil {
            exchange.begin()
        } else if !home.loop.enqueue({ exchange.begin() }) {
            outcome.refuse()
        }
        return try await outcome.response(of: exchange)
    }

    /// The attributes that the configuration gives to requests to a URL's origin.
    package func attributes(ofOriginOf url: String) -> [String: String] { core.section(for: url) ?? [:] }

    /// The request's options, completed with those of the configuration.
    public func options(of request: Request) -> RequestOptions {
        core.routes.options(of: requestDefaults?.complete(request) ?? request)
    }

    /// Sends a request like `send(_:)`, and calls `watch` on the loop with the progress of both bodies and with each
    /// interim response. It must not block.
    public nonisolated(nonsending) func send(
        _ request: Request, watch: @escaping @Sendable (RequestNotice) -> Void
    ) async throws(PlugboardError) -> Response {
        let outcome = ProgramOutcome()
        let request = completed(request)
        let exchange = ExchangeCore(request, home: core.place(), outcome: outcome) { event in
            if let notice = RequestNotice(event) { watch(notice) }
        }
        if !exchange.loop.enqueue({ exchange.begin() }) { outcome.refuse() }
        return try await outcome.response(of: exchange)
    }

    /// Begins an exchange that can be suspended, resumed and watched.
    ///
    /// `watch` is called on the loop with each of its events, in order, and must not block. So is `trace`, with the
    /// events and with each call of a plugin's hook, of the exchange and of the sub-requests that it leads to: it says
    /// who decided what, and costs each hook a few microseconds.
    public func begin(
        _ request: Request, watch: (@Sendable (ObservedEvent) -> Void)? = nil,
        trace: (@Sendable (TraceStep) -> Void)? = nil
    ) -> ExchangeHandle {
        let outcome = ProgramOutcome()
        let request = completed(request)
        let exchange = ExchangeCore(request, home: core.place(), outcome: outcome, watch: watch)
        let isTaken = exchange.loop.enqueue {
            if let trace { exchange.trace(with: ExchangeTrace(trace)) }
            exchange.begin()
        }
        if !isTaken { outcome.refuse() }
        return ExchangeHandle(exchange, outcome)
    }

    /// Runs a command of a plugin. The arguments are a JSON object as text.
    ///
    /// Cancelling the task throws `cancelled` at once; the plugin is not told, and its reply is dropped.
    public func command(
        _ plugin: String, _ name: String, _ arguments: String = "{}"
    ) async throws(PlugboardError) -> CommandReply {
        guard let slot = core.pipeline.slots.first(where: { $0.id == plugin }) else {
            throw PlugboardError(.commandUnknown, "No plugin \(plugin) is enabled.")
        }
        let commands = try PluginDescriptor(checking: slot.plugin).commands.map(\.name)
        guard commands.contains(name) else {
            throw PlugboardError(
                .commandUnknown,
                commands.isEmpty
                    ? "\(plugin) has no commands." : "\(plugin) knows \(commands.joined(separator: ", ")).")
        }
        if var error = slot.disabled {
            error.reason += " Its commands are refused; start the program again to use it."
            throw error
        }
        let core = core
        guard core.commandCalls.enter(slot.index) else {
            throw PlugboardError(.shutDown, "The kernel is shut down and takes no commands.")
        }
        let reply = core.replies.reserve()
        let cancelled = Result<CommandReply, PlugboardError>.failure(
            PlugboardError(.cancelled, "The command was cancelled before \(plugin) replied."))
        let result = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                core.replies.wait(for: reply, continuation)
                // The closure below may have run already, and found nothing.
                if Task.isCancelled { _ = core.replies.reply(to: reply, cancelled) }
                let isStarted = BlockingThread.startIfPossible {
                    slot.call(name, arguments, reply, core)
                    core.commandCalls.leave(slot.index)
                }
                if !isStarted {
                    core.commandCalls.leave(slot.index)
                    _ = core.replies.reply(
                        to: reply,
                        .failure(
                            PlugboardError(
                                .resources,
                                "The system starts no thread for the command. Raise the limit (ulimit -u).")))
                }
            }
        } onCancel: {
            _ = core.replies.reply(to: reply, cancelled)
        }
        return try result.get()
    }

    /// The plugins in order, outermost first, with the reason for each position, as they are now: the kernel may have
    /// disabled one (`disabled`).
    public var plugins: [EnabledPlugin] {
        let switchedOff = SlotSet(rawValue: core.switchedOff.load(ordering: .relaxed))
        return zip(core.resolved.plugins, core.pipeline.slots).map { plugin, slot in
            var plugin = plugin
            plugin.disabled = slot.disabled
            plugin.isSwitchedOff = switchedOff.contains(slot.bit)
            return plugin
        }
    }

    /// The table of a service that a plugin provides; nil if none does. Valid as long as the kernel runs.
    package func service(_ id: String) -> UnsafeRawPointer? { core.services.withLock { $0[id]?.table } }

    /// The counters of all plugins, by `PLUGIN-ID.name`; those with labels are in `metrics`.
    public var counters: [String: Int64] { core.metrics.counters }

    /// The counters, gauges and histograms of all plugins, in the order of their names.
    public var metrics: [Metric] { core.metrics.all }

    /// Runs tasks on the first loop's own thread, for programs that want to avoid changes of threads:
    /// `withTaskExecutorPreference(kernel.executor) { … }`. A task that blocks stops every exchange of the loop. The
    /// requests that such a task sends are on that loop.
    public var executor: LoopExecutor { core.first.loop.executor }

    /// The executor of each loop; `executor` is the first of them.
    public var executors: [LoopExecutor] { core.loops.map(\.loop.executor) }

    /// Drops all stored state: that of plugins (their command `forget`), idle connections, and what the transport has
    /// learned about servers. Throws the first error of a plugin, after all plugins were asked.
    public func forget() async throws(PlugboardError) {
        var failure: PlugboardError?
        for slot in core.pipeline.slots {
            guard let plugin = try? PluginDescriptor(checking: slot.plugin),
                plugin.commands.contains(where: { $0.name == "forget" })
            else { continue }
            do { _ = try await command(slot.id, "forget") } catch { failure = failure ?? error }
        }
        let core = core
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            core.withTransports {
                $0.forget()
            } done: {
                continuation.resume()
            }
        }
        if let failure { throw failure }
    }
}
