import PlugboardKit

/// Sends again what failed.
struct Retry: Plugin {
    static let manifest = Manifest(
        id: "retry", version: "1.0.0", documentation: "Sends again what failed.", priority: 800, hooks: [.request])

    init(settings: NoSettings, host: Host) throws {}
}

/// What a kernel asks for, linked or loaded.
@c(retry_LTX_plugboard_plugin)
public func retryPlugin() -> UnsafePointer<plug_plugin_v1> { export(Retry.self) }
