import PlugboardCore
import PlugboardJSON

/// What a kernel is for, as kinds of sessions are in other libraries: each makes settings of its own.
///
///     let kernel = try Kernel(configuration: configuration.session(.ephemeral))
///     let uploads = try Kernel(configuration: configuration.session(.longTransfers))
///
/// A program can have a kernel of each kind, with its own plugins, connections and limits, and clients on each.
public enum SessionKind: Sendable, CaseIterable {
    /// The configuration as it is.
    case standard
    /// The plugins `cache` and `cookies` keep in memory what they store, and write no file. Plugins of the program's
    /// own have settings of their own.
    case ephemeral
    /// Transfers that take long: no limit of the whole time, ten minutes without a byte, and larger buffers.
    case longTransfers
}

extension Configuration {
    /// The same configuration for a kind of session.
    ///
    /// A plugin that is loaded from a file is known by the id that the configuration gives beside its path.
    public func session(_ kind: SessionKind) -> Configuration {
        var configuration = self
        switch kind {
        case .standard: break
        case .ephemeral:
            for index in plugins.indices where ["cache", "cookies"].contains(plugins[index].id) {
                configuration.plugins[index].settings["persistence"] = .string("memory")
                // A path would be that of the file.
                configuration.plugins[index].settings["path"] = nil
            }
        case .longTransfers:
            configuration.kernel.defaults.timeout = nil
            configuration.kernel.defaults.attemptTimeout = nil
            configuration.kernel.defaults.idleTimeout = .seconds(600)
            configuration.kernel.bufferLimit = max(kernel.bufferLimit, .mebibytes(4))
        }
        return configuration
    }
}
