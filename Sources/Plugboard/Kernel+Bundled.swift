import EventLoop
import PlugboardCore
import Transporting

extension Kernel {
    /// A kernel that knows all bundled plugins; which of them run, the configuration says.
    ///
    /// The parameters and errors are those of `init(configuration:catalog:loader:transport:log:clock:watch:)`.
    public convenience init(
        configuration: Configuration = Configuration(), loader: (any Loader)? = nil, transport: (any Transport)? = nil,
        log: KernelLog? = nil, clock: ManualClock? = nil, watch: (@Sendable (ExchangeEvent) -> Void)? = nil
    ) throws(PlugboardError) {
        try self.init(
            configuration: configuration, catalog: .bundled, loader: loader, transport: transport, log: log,
            clock: clock,
            watch: watch)
    }
}

extension Configuration {
    /// All that is wrong with it, where all bundled plugins are linked.
    public func errors(loader: (any Loader)? = nil) -> [ConfigurationError] {
        errors(catalog: .bundled, loader: loader)
    }
}
