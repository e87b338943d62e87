import PlugboardCore
import PlugboardEventLoop
import PlugboardTransport

extension Kernel {
    /// A kernel that knows all bundled plugins; which of them run, the configuration and the program's code say.
    ///
    /// The parameters and errors are those of
    /// `init(configuration:plugins:catalog:loader:transport:log:clock:watch:atSend:)`.
    public convenience init(
        configuration: Configuration = Configuration(), plugins: [PluginEntry] = [],
        loader: (any PluginFileLoader)? = nil,
        transport: (any Transport)? = nil, log: KernelLog? = nil, clock: ManualClock? = nil,
        watch: (@Sendable (ObservedEvent) -> Void)? = nil, atSend: (@Sendable (inout Request) -> Void)? = nil
    ) throws(PlugboardError) {
        try self.init(
            configuration: configuration, plugins: plugins, catalog: .bundled, loader: loader, transport: transport,
            log: log, clock: clock, watch: watch, atSend: atSend)
    }
}

extension Configuration {
    /// All that is wrong with it, where all bundled plugins are linked.
    public func errors(loader: (any PluginFileLoader)? = nil) -> [ConfigurationError] {
        errors(catalog: .bundled, loader: loader)
    }
}
