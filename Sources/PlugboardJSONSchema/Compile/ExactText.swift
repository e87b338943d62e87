import PlugboardJSON

/// A text as the key of a dictionary, compared by its bytes.
///
/// Strings of Swift are equal if they are canonically equivalent, but names of JSON are not (RFC 8259 §8.3).
struct ExactText: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: ExactText, right: ExactText) -> Bool { left.text.hasSameUTF8(as: right.text) }

    func hash(into hasher: inout Hasher) { text.hashUTF8(into: &hasher) }
}
