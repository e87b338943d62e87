import CPlugboard
import Plugboard
import PlugboardKit

/// A plugin of the command's own for `--verbose`: writes the head of each attempt to standard error, with all that other
/// plugins have added to it. What libcurl adds (`Host`, `Content-Length`) is not in it.
struct SentHeads: Plugin {
    // Innermost, so that it sees each attempt.
    static let manifest = Manifest(
        id: "plugboard-verbose", version: Program.version, documentation: "Shows the heads that are sent.",
        priority: 999, hooks: [.request])
    static var descriptor: UnsafePointer<plug_plugin_v1> { export(SentHeads.self) }

    init(settings: NoSettings, host: PluginHost) {}

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        let head = exchange.request
        ExchangeObserver.write(">", "\(head.method) \(redacted(url: head.url))", head.fields)
        return .next
    }
}
