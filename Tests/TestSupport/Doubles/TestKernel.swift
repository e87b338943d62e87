import PlugboardCore
import PlugboardEventLoop
import PlugboardJSON
import PlugboardKit
import PlugboardTransport
import PluginLoader

/// A silent kernel with scripted plugins over a mock transport.
///
///     let kernel = try makeKernel([plugin], transport) { $0.kernel.connections = 3 }
///
/// A plugin under test, linked and loaded, has `Linkage.kernel`, and one of Fixtures has `FixturePlugin.kernel`.
/// - Parameters:
///   - transport: nil for libcurl's.
///   - entries: plugins of other kinds, such as `PluginEntry(path)` and `.redirect`.
///   - configure: the last change of the configuration.
package func makeKernel(
    _ scripted: [ScriptedPlugin] = [], _ transport: (any Transport)? = MockTransport(),
    clock: ManualClock? = nil, beside entries: [PluginEntry] = [], network: (any NetworkSource)? = nil,
    log: KernelLog = .silent, _ configure: (inout Configuration) -> Void = { _ in },
    watch: (@Sendable (ObservedEvent) -> Void)? = nil
) throws -> Kernel {
    var configuration = Configuration(plugins: entries + scripted.map { PluginEntry($0.id) })
    configure(&configuration)
    // An exchange waits for a connection of its own loop: what is expected of limits is expected of one loop, unless
    // the test says otherwise.
    let settings = configuration.kernel
    if settings.loops == nil, settings.connections > 0 || settings.connectionsPerHost != 64 {
        configuration.kernel.loops = 1
    }
    return try Kernel(
        configuration: configuration, catalog: Catalog(scripted.map(\.descriptor)), loader: .dynamic, network: network,
        transport: transport, log: log, clock: clock, watch: watch)
}

extension FixturePlugin {
    /// A silent kernel over a mock transport with a plugin in C or C++, and scripted plugins around it.
    package static func kernel(
        _ name: String, _ transport: (any Transport)? = MockTransport(), clock: ManualClock? = nil,
        settings: JSONObject = [:], onFault: PluginEntry.OnFault = .fail, beside scripted: [ScriptedPlugin] = [],
        log: KernelLog = .silent, _ configure: (inout Configuration) -> Void = { _ in }
    ) throws -> Kernel {
        let entry = PluginEntry(try build(name), onFault: onFault, settings: settings)
        var configuration = Configuration(plugins: [entry] + scripted.map { PluginEntry($0.id) })
        configure(&configuration)
        return try Kernel(
            configuration: configuration, catalog: Catalog(scripted.map(\.descriptor)), loader: .dynamic,
            transport: transport, log: log, clock: clock)
    }
}
