import PlugboardKit

/// Keeps cookies (RFC 6265bis).
struct Cookies: Plugin {
    static let manifest = Manifest(
        id: "cookies", version: "1.0.0", documentation: "Keeps cookies (RFC 6265bis).", priority: 500, hooks: [.request]
    )

    init(settings: NoSettings, host: Host) throws {}
}

/// What a kernel asks for, linked or loaded.
@c(cookies_LTX_plugboard_plugin)
public func cookiesPlugin() -> UnsafePointer<plug_plugin_v1> { export(Cookies.self) }
