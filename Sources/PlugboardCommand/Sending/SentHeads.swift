import Plugboard
import PlugboardKit

/// The command's plugin for `--verbose`: writes the head of each attempt to standard error, with the fields that other
/// plugins have added. Fields that libcurl adds (`Host`, `Content-Length`) are not shown.
struct SentHeads: Plugin {
    // Innermost, so that it sees each attempt.
    static let manifest = Manifest(
        id: "plugboard-verbose", version: Program.version, documentation: "Shows the heads that are sent.",
        priority: 999, hooks: [.request])

    init(settings: NoSettings, host: PluginHost) {}

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        let head = exchange.request
        ExchangeObserver.write(">", "\(head.method) \(Printable.url(head.url))", head.fields)
        return .next
    }
}
