import PlugboardKit

/// What a key is found by: a rule, and the values that it counts by.
struct KeyName: Sendable, Hashable {
    struct Value: Sendable, Hashable {
        /// The value, or its hash.
        let text: String
        /// Whether it is never shown.
        let isHidden: Bool

        var shown: String { isHidden ? "…" : text }

        init(text: String, isHidden: Bool) { (self.text, self.isHidden) = (text, isHidden) }

        /// The server that a route leads to, and whether it is verified. A pause that a server asks for delays only
        /// requests to that server. Empty for the verified server of the URL.
        init(serverOf route: Route) {
            self.init(text: (route.isVerified ? "" : "unverified ") + (route.detour ?? ""), isHidden: false)
        }
    }

    /// The rule's place among all.
    let rule: Int
    /// One for each part of the rule, and one for the server if the rule is about one server. None for the key that
    /// values share beyond the most keys.
    let values: [Value]
}
