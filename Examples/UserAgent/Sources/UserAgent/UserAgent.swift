import PlugboardKit

/// Names the caller: sets `User-Agent` on requests that carry none.
struct UserAgent: Plugin {
    static let manifest = Manifest(
        id: "com.example.user-agent", version: "1.0.0", documentation: "Names the caller.", priority: 300,
        hooks: [.request])

    struct Settings: PluginSettings {
        @Setting("What the field says.") var product = "plugboard/1.0"
    }
    let settings: Settings

    init(settings: Settings, host: PluginHost) throws { self.settings = settings }

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        if exchange.request[.userAgent] == nil { exchange.request[.userAgent] = settings.product }
        return .next
    }
}

@c(user_agent_LTX_plugboard_plugin)
public func plugin() -> UnsafePointer<plug_plugin_v1> { UserAgent.descriptor }
