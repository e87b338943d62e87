import CPlugboard
import PlugboardBorder

/// The plugins that exist in this program without a file: those that are linked.
///
///     let kernel = try Kernel(catalog: .bundled.adding([UserAgent.descriptor]))
public struct Catalog: Sendable {
    private var descriptors: [String: PluginDescriptor] = [:]
    /// Why plugins were refused: malformed descriptors, and two plugins with one id. A kernel with such a catalog
    /// throws them.
    public private(set) var errors: [PlugboardError] = []

    /// - Parameter linked: `X.descriptor` of Swift plugins, and what the exported functions of C plugins return.
    public init(_ linked: [UnsafePointer<plug_plugin_v1>] = []) {
        for raw in linked { add(raw) }
    }

    /// These plugins and further ones.
    public func adding(_ linked: [UnsafePointer<plug_plugin_v1>]) -> Catalog {
        var catalog = self
        for raw in linked { catalog.add(raw) }
        return catalog
    }

    /// These plugins and those that entries bring themselves, which replace linked ones of the same id.
    func replacing(with entries: [PluginEntry]) -> Catalog {
        var catalog = self
        for entry in entries {
            // `PluginResolver` notes what is wrong with a descriptor.
            guard let linked = entry.linked, let descriptor = try? PluginDescriptor(checking: linked) else { continue }
            catalog.descriptors[descriptor.id] = descriptor
        }
        return catalog
    }

    private mutating func add(_ raw: UnsafePointer<plug_plugin_v1>) {
        do throws(PlugboardError) {
            let descriptor = try PluginDescriptor(checking: raw)
            if let first = descriptors[descriptor.id] {
                throw PlugboardError(
                    .configuration,
                    "two linked plugins have the id \(descriptor.id) (versions \(first.version) and "
                        + "\(descriptor.version)); leave one out of the catalog")
            }
            descriptors[descriptor.id] = descriptor
        } catch {
            errors.append(error)
        }
    }

    /// The plugin of this id.
    public func descriptor(_ id: String) -> PluginDescriptor? { descriptors[id] }

    /// All ids, sorted.
    public var ids: [String] { descriptors.keys.sorted() }
}
