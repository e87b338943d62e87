// Arguments and replies of commands are JSON, so authors of plugins get these types with PlugboardKit.
@_exported import PlugboardJSON

/// A type of plugin of which a kernel makes instances. Its `descriptor` is linked into a program or loaded from a file.
///
/// The hooks are those of `PluginInstance`. A plugin that needs an object of the program's, such as a key store,
/// conforms only to that protocol.
public protocol Plugin: PluginInstance {
    /// Makes the instance. An error refuses the configuration with its description.
    ///
    /// Called on the thread that makes the kernel, which may block. Of the host, only log, clocks, random, counters and
    /// the data directory work here. A check of a configuration calls it, too, and then destroys the instance: leave
    /// files as they are until `start` (see `PluginHost.dataPath`).
    init(settings: Settings, host: PluginHost) throws
}
