import CPlugboard
import Plugboard
import PlugboardKit

@testable import PlugboardCore

/// Plugins that do nothing, with tables to check against.
enum CatalogPlugins {
    struct Cache: Plugin {
        static let manifest = Manifest(
            id: "cache", version: "1.0.0", documentation: "Stores responses.", priority: 600, hooks: [.request],
            attributes: [
                AttributeKey<Duration>("cache", "ttl", "How long.", in: .zero ... .seconds(60)).definition,
                AttributeKey<Bool>("cache", "bypass", "Whether to go past it.").definition,
            ])

        struct Settings: PluginSettings {
            @Setting("Bytes in memory.", in: .bytes(0) ... .gibibytes(1)) var memory = ByteCount.mebibytes(8)
            @Setting("Entries.", in: 1...1000) var entries = 100
            @Setting("Whether others may read it.") var isShared = false
            @Setting("Names that vary.") var vary = ["accept"]
            @Setting("Names for names.") var names: [String: String] = [:]
            @Setting("A file.") var path: String? = nil
            init() {}
        }

        init(settings: Settings, host: PluginHost) throws {}
    }

    struct Sign: Plugin {
        static let manifest = Manifest(
            id: "com.acme.sign", version: "2.0.0", documentation: "Signs.", priority: 900, hooks: [.request],
            attributes: [AttributeKey<Int>("com.acme.sign", "rounds", "How often.", in: 1...9).definition])

        enum Method: String, WordOption { case hmac, rsa }

        struct Settings: PluginSettings {
            @Setting("The key.", isSecret: true, isRequired: true) var key = ""
            @Setting("How it signs.") var method = Method.hmac
            init() {}
        }

        init(settings: Settings, host: PluginHost) throws {}
    }

    static let catalog = Catalog([export(Cache.self), export(Sign.self)])

    /// A descriptor with an id and a position only. Its memory is never freed.
    static func plain(
        _ id: String, priority: Int = 500, version: String = "1.0.0", before: [String] = [], after: [String] = []
    ) -> UnsafePointer<plug_plugin_v1> {
        var table = plug_plugin_v1()
        table.abi_revision = UInt32(PLUG_ABI_REVISION)
        table.id = plug_text(immortal: id)
        table.version = plug_text(immortal: version)
        table.priority = Int32(clamping: priority)
        (table.before, table.before_count) = immortal(before)
        (table.after, table.after_count) = immortal(after)
        table.create = { _, _ in nil }
        let place = UnsafeMutablePointer<plug_plugin_v1>.allocate(capacity: 1)
        place.initialize(to: table)
        return UnsafePointer(place)
    }

    private static func immortal(_ ids: [String]) -> (UnsafePointer<plug_text>?, UInt64) {
        let place = UnsafeMutablePointer<plug_text>.allocate(capacity: max(ids.count, 1))
        for (index, id) in ids.enumerated() { (place + index).initialize(to: plug_text(immortal: id)) }
        return (UnsafePointer(place), UInt64(ids.count))
    }

    /// Returns the given descriptor, for any file of that name; refuses all others.
    struct FakeLoader: Loader {
        let files: [String: PluginDescriptor]

        func searching(_ folders: [String]) -> Self { self }

        func load(_ path: String, sha256: String?) throws(PlugboardError) -> PluginDescriptor {
            guard let descriptor = files[path] else {
                throw PlugboardError("loading.missing", "There is no file \(path)", underlying: "ENOENT")
            }
            return descriptor
        }

        func inspect(_ path: String) throws(PlugboardError) -> PluginFile {
            throw PlugboardError("loading.missing", "There is no file \(path)")
        }
    }
}
