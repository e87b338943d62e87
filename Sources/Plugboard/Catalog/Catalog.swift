import CPlugboard
import PlugboardKit

/// The plugins that exist in this program without a file: those that are linked.
///
///     let catalog = try Catalog.bundled.adding(export(UserAgent.self))
public struct Catalog: Sendable {
    private let descriptors: [String: PluginDescriptor]

    /// - Throws: `configuration` if two plugins have the same id.
    public init(_ linked: [PluginDescriptor]) throws(PlugboardError) {
        try self.init([:], linked)
    }

    /// From what `export(X.self)` and the exported functions of C plugins return.
    ///
    /// - Throws: Also what a descriptor is refused for.
    public init(_ linked: UnsafePointer<plug_plugin_v1>...) throws(PlugboardError) {
        try self.init([:], Catalog.check(linked))
    }

    /// These plugins and further ones.
    public func adding(_ linked: UnsafePointer<plug_plugin_v1>...) throws(PlugboardError) -> Catalog {
        try Catalog(descriptors, Catalog.check(linked))
    }

    private init(_ known: [String: PluginDescriptor], _ linked: [PluginDescriptor]) throws(PlugboardError) {
        var descriptors = known
        for descriptor in linked {
            guard let first = descriptors.updateValue(descriptor, forKey: descriptor.id) else { continue }
            throw PlugboardError(
                .configuration,
                "Two linked plugins have the id \(descriptor.id) (versions \(first.version) and "
                    + "\(descriptor.version)). Leave one out of the catalog.")
        }
        self.descriptors = descriptors
    }

    private static func check(
        _ linked: [UnsafePointer<plug_plugin_v1>]
    ) throws(PlugboardError) -> [PluginDescriptor] {
        var descriptors: [PluginDescriptor] = []
        for raw in linked { descriptors.append(try PluginDescriptor(checking: raw)) }
        return descriptors
    }

    public func descriptor(_ id: String) -> PluginDescriptor? { descriptors[id] }

    /// All ids, sorted.
    public var ids: [String] { descriptors.keys.sorted() }
}
