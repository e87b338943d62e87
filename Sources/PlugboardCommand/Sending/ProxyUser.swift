import PlugboardKit
import PlugboardMessages

extension RequestOptions.ProxyUser {
    /// The argument of `--proxy-user`. Blocks where it asks for a password that is left out.
    init(_ text: String) throws(CommandFailure) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if parts.count > 1 {
            self.init(name: parts[0], password: parts[1])
            return
        }
        let prompt = "Proxy password for \(Printable.text(text)): "
        self.init(name: text, password: try SecretPrompt.ask(prompt, for: "--proxy-user"))
    }
}
