import PlugboardCore
import PlugboardEventLoop
import PlugboardKit
import PlugboardReachability
import PlugboardSystem
import PlugboardTransport

/// Runs one plugin in its own kernel, with a scripted transport, a manual clock, and a temporary folder.
///
///     let bench = try Workbench(UserAgent.self, settings: ["product": "feed-reader/2.1"])
///     _ = try await bench.send(Request(.get, "https://api.test/"))
///     #expect(bench.transport.requests[0][.userAgent] == "feed-reader/2.1")
///
/// The kernel calls the plugin through the same table of C functions as in a program, and checks the same rules.
/// Nothing is sent over a network, and no time passes by itself. The folder is removed with the bench: if the plugin
/// writes files when it stops, call `await bench.kernel.shutDown()` before.
public final class Workbench: Sendable {
    /// The kernel that runs the plugin.
    public let kernel: Kernel
    /// The transport, with the attempts so far.
    public let transport: ScriptedTransport
    /// The clock of timers, deadlines, `host.now` and `host.wallClock`. It stands still until the test moves it.
    public let clock: ManualClock
    private let folder: ScratchFolder
    private let recordedEvents: Recording<ObservedEvent>
    private let lines: Recording<LogLine>

    /// A line of the log.
    public struct LogLine: Sendable {
        /// The level.
        public let level: LogLevel
        /// `kernel`, or the id of the plugin that logged the line.
        public let source: String
        /// The text.
        public let text: String
    }

    /// Links a plugin in Swift. `configure` can change the configuration before the kernel starts.
    public convenience init<P: Plugin>(
        _ plugin: P.Type, settings: JSONObject = [:], transport: ScriptedTransport = ScriptedTransport(),
        beside others: [UnsafePointer<plug_plugin_v1>] = [], _ configure: (inout Configuration) -> Void = { _ in }
    ) throws(PlugboardError) {
        try self.init(
            linked: P.descriptor, settings: settings, transport: transport, beside: others, configure)
    }

    /// Links a plugin in any language, by the descriptor that its exported function returns.
    public convenience init(
        linked plugin: UnsafePointer<plug_plugin_v1>, settings: JSONObject = [:],
        transport: ScriptedTransport = ScriptedTransport(), beside others: [UnsafePointer<plug_plugin_v1>] = [],
        _ configure: (inout Configuration) -> Void = { _ in }
    ) throws(PlugboardError) {
        let id = try PluginDescriptor(checking: plugin).id
        try self.init(
            PluginEntry(id, settings: settings), loader: nil, transport: transport, linked: [plugin], beside: others,
            configure)
    }

    /// Loads a plugin in any language from its file. The loader is `.dynamic` of the module PluginLoader.
    public convenience init(
        file path: String, loader: any PluginFileLoader, settings: JSONObject = [:],
        transport: ScriptedTransport = ScriptedTransport(), beside others: [UnsafePointer<plug_plugin_v1>] = [],
        _ configure: (inout Configuration) -> Void = { _ in }
    ) throws(PlugboardError) {
        try self.init(
            PluginEntry(id: nil, path: path, settings: settings), loader: loader, transport: transport, linked: [],
            beside: others, configure)
    }

    private convenience init(
        _ entry: PluginEntry, loader: (any PluginFileLoader)?, transport: ScriptedTransport,
        linked: [UnsafePointer<plug_plugin_v1>], beside others: [UnsafePointer<plug_plugin_v1>],
        _ configure: (inout Configuration) -> Void
    ) throws(PlugboardError) {
        var configuration = Configuration(plugins: [entry])
        for other in others { configuration.plugins.append(PluginEntry(try PluginDescriptor(checking: other).id)) }
        try self.init(
            configuration, catalog: Catalog(linked + others), loader: loader, transport: transport,
            clock: ManualClock(),
            configure)
    }

    /// - Parameter configure: Called after the data directory is set.
    init(
        _ configuration: Configuration, catalog: Catalog, loader: (any PluginFileLoader)?, transport: ScriptedTransport,
        clock: ManualClock, _ configure: (inout Configuration) -> Void = { _ in }
    ) throws(PlugboardError) {
        guard let folder = ScratchFolder("plugboard-testing-") else {
            throw PlugboardError(
                .testingFolder, "No folder can be made in \(ScratchFolder.parent). Set TMPDIR to another folder.")
        }
        var configuration = configuration
        configuration.kernel.dataDirectory = folder.path
        configure(&configuration)
        let lines = Recording<LogLine>()
        let events = Recording<ObservedEvent>()
        self.folder = folder
        self.lines = lines
        recordedEvents = events
        self.clock = clock
        self.transport = transport
        kernel = try Kernel(
            configuration: configuration, catalog: catalog, loader: loader, network: .system, transport: transport,
            log: KernelLog(level: .debug) { lines.add(LogLine(level: $0, source: $1, text: $2)) }, clock: clock,
            watch: { if $0.kernelEvent == nil { events.add($0) } })
    }

    /// Sends a request through the plugin and records its events. Cancelling the task cancels the exchange.
    public func send(_ request: Request) async throws(PlugboardError) -> Response {
        try await begin(request).response
    }

    /// Begins an exchange that the test can suspend, resume and cancel, and records its events.
    public func begin(_ request: Request) -> ExchangeHandle {
        kernel.begin(request, watch: { [recordedEvents] in recordedEvents.add($0) })
    }

    /// The table of a service that this or another plugin of the bench provides; nil if none does. Valid until the
    /// kernel ends.
    public func service<Table>(_ id: String, as table: Table.Type) -> UnsafePointer<Table>? {
        kernel.service(id)?.assumingMemoryBound(to: table)
    }

    /// The events of all exchanges of the bench so far, in order: those of the kernel and those of plugins, including
    /// those that a plugin has published without an exchange.
    public var events: [ObservedEvent] { recordedEvents.elements }

    /// Waits for the first event with this id; nil if the task is cancelled before it comes.
    public func event(_ id: String) async -> ObservedEvent? {
        await recordedEvents.elements { $0.contains { $0.id == id } }.first { $0.id == id }
    }

    /// The lines logged so far, of all levels.
    public var log: [LogLine] { lines.elements }
}
