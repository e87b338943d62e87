import PlugboardKit

/// The command's plugin for `--verbose`: notes which fields of requests are secret, also those that plugins add.
struct SecretFields: Plugin {
    // Innermost, so that it sees each attempt.
    static let manifest = Manifest(
        id: "plugboard-verbose", version: Program.version, documentation: "Notes which fields are secret.",
        priority: 999, hooks: [.request])

    init(settings: NoSettings, host: PluginHost) {}

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        WireOutput.addSecrets(exchange.request.fields)
        return .next
    }
}
