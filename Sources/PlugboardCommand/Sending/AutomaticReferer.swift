import Plugboard
import PlugboardKit

/// The command's plugin for `;auto` of `--referer`: the field Referer of a request that follows a redirect is the URL
/// before it, without credentials and fragment (RFC 9110 §10.1.3).
struct AutomaticReferer: PluginInstance {
    // Inside of redirect, so that it sees each request that follows one, and outside of retry.
    static let manifest = Manifest(
        id: "plugboard-referer", version: Program.version, documentation: "Sends the URL before a redirect.",
        priority: 401, hooks: [.request])

    /// The URL of the latest request. Used by the exchange's hooks only.
    private final class Previous {
        let url: String
        init(_ url: String) { self.url = url }
    }

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        guard exchange.sender == nil else { return .next }
        if let previous = exchange.state as? Previous { exchange.request["Referer"] = previous.url }
        exchange.state = Previous(String(CurlURL.withoutUser(exchange.request.url).url.prefix { $0 != "#" }))
        return .next
    }
}
