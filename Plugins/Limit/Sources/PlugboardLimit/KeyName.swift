import PlugboardKit

/// What a key is found by: a rule, and the values that it counts by.
struct KeyName: Sendable, Hashable {
    struct Value: Sendable, Hashable {
        /// The value, or its hash.
        let text: String
        /// Whether it is never shown.
        let isHidden: Bool

        var shown: String { isHidden ? "…" : text }
    }

    /// The rule's place among all.
    let rule: Int
    /// One for each part of the rule; none for the key that values share beyond the most keys.
    let values: [Value]
}
