import PlugboardKit

/// Authenticates requests: basic, bearer, and tokens that are refreshed.
struct Authentication: Plugin {
    static let manifest = Manifest(
        id: "authentication", version: "1.0.0",
        documentation: "Authenticates requests: basic, bearer, and tokens that are refreshed.", priority: 450,
        hooks: [.request])

    init(settings: NoSettings, host: Host) throws {}
}

/// What a kernel asks for, linked or loaded.
@c(authentication_LTX_plugboard_plugin)
public func authenticationPlugin() -> UnsafePointer<plug_plugin_v1> { export(Authentication.self) }
