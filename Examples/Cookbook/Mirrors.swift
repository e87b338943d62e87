import PlugboardKit

/// `onFailure` and state: sends a request without a response to the next mirror.
struct Mirrors: Plugin {
    static let manifest = Manifest(
        id: "com.example.mirrors", version: "1.0.0", documentation: "Tries mirrors when a server does not respond.",
        priority: 420, hooks: [.failure])

    struct Settings: PluginSettings {
        @Setting("The mirrors in their order: URLs without a path.") var origins: [String] = []
    }
    let settings: Settings

    /// The state of one exchange over all its turns. It needs no lock: hooks of one exchange never overlap.
    private final class Tried {
        var count = 0
    }

    init(settings: Settings, host: PluginHost) throws {
        self.settings = settings
        // An error here refuses the configuration at the start instead of at the first failure.
        for origin in settings.origins where Origin(url: origin) == nil {
            throw PlugboardError(
                "com.example.mirrors.origin", "\(Printable.text(origin)) is not an origin. Write https://HOST.")
        }
    }

    func onFailure(_ exchange: borrowing Exchange) -> FailureVerdict {
        let tried = exchange.state as? Tried ?? Tried()
        let url = exchange.request.url
        guard tried.count < settings.origins.count, exchange.canResend, let parts = URLParts(url) else { return .next }
        exchange.request.url = settings.origins[tried.count] + url[parts.pathStart...]
        tried.count += 1
        exchange.state = tried
        return .resend()
    }
}
