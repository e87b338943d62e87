import PlugboardCore
import PlugboardEventLoop
import PlugboardJSON
import PlugboardKit
import PlugboardReachability
import PlugboardTransport

/// The two ways to add a plugin to a kernel; its suite runs both.
///
///     @Test(arguments: Linkage.allCases)
///     func `…`(linkage: Linkage) async throws {
///         let kernel = try linkage.kernel("redirect", redirectPlugin(), loader: .dynamic, transport)
package enum Linkage: CaseIterable, Sendable {
    /// Compiled into the tests.
    case linked
    /// Loaded from the shared object `libplugboard-ID.so`, which the build has put beside the tests.
    case loaded

    /// A kernel with this plugin and scripted plugins around it.
    package func kernel(
        _ id: String, _ linked: UnsafePointer<plug_plugin_v1>, loader: any PluginFileLoader,
        _ transport: (any Transport)? = nil,
        settings: JSONObject = [:], beside scripted: [ScriptedPlugin] = [], log: KernelLog = .silent,
        clock: ManualClock? = nil
    ) throws -> Kernel {
        let path = self == .loaded ? try Products.library("plugboard-\(id)") : nil
        let entry = PluginEntry(id: id, path: path, settings: settings)
        return try Kernel(
            configuration: Configuration(plugins: [entry] + scripted.map { PluginEntry($0.id) }),
            catalog: Catalog((self == .linked ? [linked] : []) + scripted.map(\.descriptor)), loader: loader,
            network: .system, transport: transport, log: log, clock: clock)
    }
}
