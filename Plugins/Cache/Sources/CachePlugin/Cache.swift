import PlugboardKit

/// Keeps answers (RFC 9111).
struct Cache: Plugin {
    static let manifest = Manifest(
        id: "cache", version: "1.0.0", documentation: "Keeps answers (RFC 9111).", priority: 600, hooks: [.request])

    init(settings: NoSettings, host: Host) throws {}
}

/// What a kernel asks for, linked or loaded.
@c(cache_LTX_plugboard_plugin)
public func cachePlugin() -> UnsafePointer<plug_plugin_v1> { export(Cache.self) }
