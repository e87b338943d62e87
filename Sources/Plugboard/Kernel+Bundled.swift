import PlugboardControl
import PlugboardCore
import PlugboardEventLoop
import PlugboardReachability
import PlugboardTransport

extension Kernel {
    /// A kernel that knows all bundled plugins. The configuration and the program's code decide which of them run.
    ///
    /// The parameters and errors are those of
    /// `init(configuration:plugins:catalog:loader:control:network:transport:log:clock:watch:atSend:)`.
    public convenience init(
        configuration: Configuration = Configuration(), plugins: [PluginEntry] = [],
        loader: (any PluginFileLoader)? = nil,
        control: (any ControlListener)? = .socket, network: (any NetworkSource)? = .system,
        transport: (any Transport)? = nil, log: KernelLog? = nil, clock: ManualClock? = nil,
        watch: (@Sendable (ObservedEvent) -> Void)? = nil, atSend: (@Sendable (inout Request) -> Void)? = nil
    ) throws(PlugboardError) {
        try self.init(
            configuration: configuration, plugins: plugins, catalog: .bundled, loader: loader, control: control,
            network: network, transport: transport, log: log, clock: clock, watch: watch, atSend: atSend)
    }
}

extension Configuration {
    /// All errors of the configuration in a program with all bundled plugins.
    public func errors(loader: (any PluginFileLoader)? = nil) -> [ConfigurationError] {
        errors(catalog: .bundled, loader: loader)
    }
}
