import PlugboardKit

extension PluginEntry {
    /// A plugin that provides services and does nothing else: for tests of a plugin that needs them.
    ///
    ///     let bench = try Workbench(Bearer.self) { $0.plugins.append(.providing(["com.acme.tokens/1": table])) }
    ///
    /// All services of a bench go into one call, because a kernel has one plugin of each id.
    ///
    /// - Parameter services: The table of each service, by its id, which says what the table is. Tables have to live as
    ///   long as the kernel.
    public static func providing(_ services: [String: UnsafeRawPointer]) -> PluginEntry {
        .linked(Provider(services), manifest: Provider.providing(services.keys.sorted()))
    }

    /// Sendable because the id of a service says which threads may use its table.
    private struct Provider: PluginInstance, @unchecked Sendable {
        static let manifest: Manifest = providing([])

        static func providing(_ services: [String]) -> Manifest {
            Manifest(
                id: "testing-services", version: "1.0.0", documentation: "Services of a test.", priority: 0, hooks: [],
                provides: services)
        }

        private let services: [String: UnsafeRawPointer]

        init(_ services: [String: UnsafeRawPointer]) { self.services = services }

        func service(_ id: String) -> UnsafeRawPointer? { services[id] }
    }
}
