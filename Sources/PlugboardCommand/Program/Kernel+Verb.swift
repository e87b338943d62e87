import Plugboard
import PlugboardControl
import PlugboardReachability
import PlugboardTransport

extension Kernel {
    /// Runs a verb's work with a kernel, and always shuts the kernel down, so that no plugin runs when the process
    /// ends. After a success, the exchanges in progress have five seconds to end.
    ///
    /// - Parameter listens: Whether the verb listens at the socket `kernel.control`; the others leave it to the program
    ///   that has the same configuration.
    static func whileRunning<Result>(
        _ configuration: Configuration, catalog: Catalog = .bundled, transport: (any Transport)? = nil,
        log: KernelLog? = nil, listens: Bool = false, _ work: (Kernel) async throws -> Result
    ) async throws -> Result {
        var configuration = configuration
        if !listens { configuration.kernel.control = nil }
        let kernel = try Kernel(
            configuration: configuration, catalog: catalog, loader: PluginArguments.loader(for: configuration),
            control: .socket, network: .system, transport: transport, log: log)
        do {
            let result = try await work(kernel)
            await kernel.shutDown(within: .seconds(5))
            try Session.current?.save()
            return result
        } catch {
            await kernel.shutDown(within: .zero)
            // The first error is what the user needs to see.
            try? Session.current?.save()
            throw error
        }
    }

    /// Writes for `--verbose` the ids of the plugins, from the outermost to the innermost, without the command's own.
    func writePlugins() {
        let ids = plugins.map(\.id).filter { !$0.hasPrefix("plugboard-") }
        if !ids.isEmpty { StandardError.write("* Plugins: \(ids.joined(separator: ", "))\n") }
    }
}

extension Catalog {
    /// The bundled plugins; none where the configuration names neither plugins nor origins, because it takes time to
    /// make the descriptors of all of them.
    static func needed(by configuration: Configuration) -> Catalog {
        configuration.plugins.isEmpty && configuration.origins.isEmpty ? Catalog() : .bundled
    }
}
