import PlugboardKit

extension PluginEntry {
    /// A plugin that only provides services, for tests of a plugin that needs them.
    ///
    ///     let bench = try Workbench(Bearer.self) { $0.plugins.append(.providing(["com.acme.tokens/1": table])) }
    ///
    /// Give all services of a bench in one call, because a kernel has only one plugin with each id.
    ///
    /// - Parameter services: The table of each service, by its id, which defines the table's type. Tables must live as
    ///   long as the kernel.
    public static func providing(_ services: [String: UnsafeRawPointer]) -> PluginEntry {
        .linked(Provider(services), manifest: Provider.providing(services.keys.sorted()))
    }

    /// Sendable because the id of a service defines which threads may use its table.
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
