import EventLoop
import PlugboardCore
import PlugboardKit
import Transporting

/// One plugin in a kernel of its own: over a transport and a clock of the test's, with a folder that goes with it.
///
///     let bench = try Workbench(UserAgent.self, settings: ["product": "feed-reader/2.1"])
///     _ = try await bench.send(Request(.get, "https://api.test/"))
///     #expect(bench.transport.requests[0][.userAgent] == "feed-reader/2.1")
///
/// The plugin goes through the same table of C functions as in a program, and everything is in force that is there:
/// what the kernel refuses in a program, it refuses here. Nothing is sent, slept or left behind; a plugin that writes
/// files when it stops is stopped with `await bench.kernel.shutDown()` before the bench goes.
public final class Workbench: Sendable {
    public let kernel: Kernel
    public let transport: ScriptedTransport
    /// Stands still until the test moves it: timers, deadlines, `host.now` and `host.wallClock` go by it.
    public let clock: ManualClock
    private let folder: ScratchFolder
    private let recordedEvents = Recording<ExchangeEvent>()
    private let lines: Recording<LogLine>

    /// A line of the log: the kernel's own (`kernel`) or a plugin's, under its id.
    public struct LogLine: Sendable {
        public let level: LogLevel
        public let source: String
        public let text: String
    }

    /// A plugin in Swift, linked.
    public convenience init<P: Plugin>(
        _ plugin: P.Type, settings: JSONObject = [:], transport: ScriptedTransport = ScriptedTransport(),
        beside others: [UnsafePointer<plug_plugin_v1>] = [], _ configure: (inout Configuration) -> Void = { _ in }
    ) throws(PlugboardError) {
        try self.init(
            linked: export(plugin), settings: settings, transport: transport, beside: others, configure)
    }

    /// A plugin in any language, linked: what its exported function returns.
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

    /// A plugin in any language, loaded from its file. The loader is `.dynamic` of the module PluginLoader.
    public convenience init(
        file path: String, loader: any Loader, settings: JSONObject = [:],
        transport: ScriptedTransport = ScriptedTransport(), beside others: [UnsafePointer<plug_plugin_v1>] = [],
        _ configure: (inout Configuration) -> Void = { _ in }
    ) throws(PlugboardError) {
        try self.init(
            PluginEntry(id: nil, path: path, settings: settings), loader: loader, transport: transport, linked: [],
            beside: others, configure)
    }

    private convenience init(
        _ entry: PluginEntry, loader: (any Loader)?, transport: ScriptedTransport,
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

    /// - Parameter configure: Called when the data directory is set.
    init(
        _ configuration: Configuration, catalog: Catalog, loader: (any Loader)?, transport: ScriptedTransport,
        clock: ManualClock, _ configure: (inout Configuration) -> Void = { _ in }
    ) throws(PlugboardError) {
        let folder = try ScratchFolder()
        var configuration = configuration
        configuration.kernel.dataDirectory = folder.path
        configure(&configuration)
        let lines = Recording<LogLine>()
        self.folder = folder
        self.lines = lines
        self.clock = clock
        self.transport = transport
        kernel = try Kernel(
            configuration: configuration, catalog: catalog, loader: loader, transport: transport,
            log: KernelLog(level: .debug) { lines.add(LogLine(level: $0, source: $1, text: $2)) }, clock: clock)
    }

    /// Sends a request through the plugin; its events are recorded. Cancelling the task cancels the exchange.
    public func send(_ request: Request) async throws(PlugboardError) -> Response {
        try await begin(request).response
    }

    /// Begins an exchange that the test suspends, resumes or cancels; its events are recorded.
    public func begin(_ request: Request) -> ExchangeHandle {
        kernel.begin(request, watch: { [recordedEvents] in recordedEvents.add($0) })
    }

    /// What was told of the exchanges that the bench sent, in order: the kernel's events and the plugins'.
    public var events: [ExchangeEvent] { recordedEvents.elements }

    /// The first event of this id, as soon as there is one; nil if the task is cancelled before.
    public func event(_ id: String) async -> ExchangeEvent? {
        await recordedEvents.elements { $0.contains { $0.id == id } }.first { $0.id == id }
    }

    /// All that was logged, from the lowest level on.
    public var log: [LogLine] { lines.elements }
}
