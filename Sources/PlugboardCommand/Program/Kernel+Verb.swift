import Plugboard

extension Kernel {
    /// Gives a verb a kernel, and shuts that down whatever comes of it, so that no plugin runs any more when the process ends: work that ends
    /// well gets five seconds for what it left under way.
    static func whileRunning<Result>(
        _ configuration: Configuration, transport: (any Transport)? = nil, _ work: (Kernel) async throws -> Result
    ) async throws -> Result {
        let kernel = try Kernel(
            configuration: configuration, loader: PluginArguments.loader(for: configuration), transport: transport)
        do {
            let result = try await work(kernel)
            await kernel.shutDown(within: .seconds(5))
            return result
        } catch {
            await kernel.shutDown(within: .zero)
            throw error
        }
    }
}
