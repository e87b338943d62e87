// Arguments and answers of commands are JSON: whoever writes a plugin has these types without another import.
@_exported import JSON

/// A type of plugin that a kernel makes instances of: what `export` makes known, linked or loaded.
///
/// The hooks are those of `PluginInstance`. A plugin that needs something of the program's, such as a key store, conforms to that
/// protocol alone.
public protocol Plugin: PluginInstance {
    /// Makes the instance; an error refuses the configuration with its description. Of the host only log, clocks, random, counters and data directory work here.
    init(settings: Settings, host: PluginHost) throws
}
