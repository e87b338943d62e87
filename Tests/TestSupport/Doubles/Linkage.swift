import PlugboardCore
import PlugboardEventLoop
import PlugboardJSON
import PlugboardKit
import PlugboardTransport
import PluginLoader

/// The two ways to add a plugin to a kernel; its suite runs both.
///
///     @Test(arguments: Linkage.allCases)
///     func `…`(linkage: Linkage) async throws {
///         let kernel = try linkage.kernel(redirectPlugin(), transport)
package enum Linkage: CaseIterable, Sendable {
    /// Compiled into the tests.
    case linked
    /// Loaded from the shared object `libplugboard-ID.so`, which the build has put beside the tests.
    case loaded

    /// A silent kernel with this plugin and others around it, over libcurl unless there is a transport.
    /// - Parameters:
    ///   - plugin: the descriptor; the shared object is found by its id.
    ///   - entries: other plugins of this package, such as `.redirect`, always linked.
    ///   - configure: the last change of the configuration.
    package func kernel(
        _ plugin: UnsafePointer<plug_plugin_v1>, _ transport: (any Transport)? = nil, clock: ManualClock? = nil,
        settings: JSONObject = [:], beside scripted: [ScriptedPlugin] = [], also entries: [PluginEntry] = [],
        network: (any NetworkSource)? = nil, log: KernelLog = .silent,
        _ configure: (inout Configuration) -> Void = { _ in }, watch: (@Sendable (ObservedEvent) -> Void)? = nil
    ) throws -> Kernel {
        let id = plugin.pointee.id.string
        let path = self == .loaded ? try Products.library("plugboard-\(id)") : nil
        let entry = PluginEntry(id: id, path: path, settings: settings)
        var configuration = Configuration(plugins: [entry] + entries + scripted.map { PluginEntry($0.id) })
        configure(&configuration)
        return try Kernel(
            configuration: configuration,
            catalog: Catalog((self == .linked ? [plugin] : []) + scripted.map(\.descriptor)), loader: .dynamic,
            network: network, transport: transport, log: log, clock: clock, watch: watch)
    }
}
