import PlugboardKit

/// A plugin in Swift whose hook does nothing.
struct Idle: Plugin {
    static let manifest = Manifest(id: "com.example.idle", version: "1.0.0", priority: 500, hooks: [.request])

    init(settings: NoSettings, host: PluginHost) throws {}

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict { .next }
}

@c(idle_LTX_plugboard_plugin)
public func idlePlugin() -> UnsafePointer<plug_plugin_v1> { Idle.descriptor }
