import PlugboardCore
import PlugboardJSON

/// The purpose of a kernel, like kinds of sessions in other libraries. Each kind derives a configuration.
///
///     let kernel = try Kernel(configuration: configuration.session(.ephemeral))
///     let uploads = try Kernel(configuration: configuration.session(.longTransfers))
///
/// A program can have one kernel of each kind, with its own plugins, connections and limits, and clients on each.
public enum SessionKind: Sendable, CaseIterable {
    /// The configuration as it is.
    case standard
    /// The plugins `cache` and `cookies` store only in memory and write no file. The settings of other plugins do not
    /// change.
    case ephemeral
    /// Settings for long transfers: no limit of the total time, an idle timeout of ten minutes, and larger buffers.
    case longTransfers
}

extension Configuration {
    /// This configuration, changed for a kind of session.
    ///
    /// A plugin that is loaded from a file is identified by the id that the configuration gives with its path.
    public func session(_ kind: SessionKind) -> Configuration {
        var configuration = self
        switch kind {
        case .standard: break
        case .ephemeral:
            for index in plugins.indices where ["cache", "cookies"].contains(plugins[index].id) {
                configuration.plugins[index].settings["persistence"] = .string("memory")
                // With a path the plugin would write a file.
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
