import PlugboardKit

/// Waiting off the loop: reads the key from a file that may be replaced at any time.
struct KeyFile: Plugin {
    static let manifest = Manifest(
        id: "com.example.key-file", version: "1.0.0", documentation: "Authorizes requests with a key from a file.",
        priority: 550, hooks: [.request])

    struct Settings: PluginSettings {
        @Setting("The file with the key.", isRequired: true) var path = ""
        @Setting("How long a request waits for it.") var patience = Duration.seconds(5)
    }
    let settings: Settings

    init(settings: Settings, host: PluginHost) { self.settings = settings }

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        if exchange.visit == .deadline { return .fail(unreadable) }
        let (path, unreadable) = (settings.path, unreadable)
        return .wait(within: settings.patience) {
            // Runs off the loop and without the exchange, because files and locks may block.
            let key = try? await Body.file(path).text(upTo: .kibibytes(4))
            return { exchange in
                // Runs on the loop again, with the exchange.
                guard let key, !key.isEmpty else { return .fail(unreadable) }
                exchange.request[.authorization] = "Bearer \(key.prefix { !$0.isWhitespace })"
                exchange.request.markSecret(.authorization)
                return .next
            }
        }
    }

    private var unreadable: PlugboardError {
        PlugboardError("com.example.key-file.unreadable", "The key cannot be read. Look at the setting path.")
    }
}
