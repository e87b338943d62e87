/// A text as the key of a dictionary, compared by its bytes.
///
/// Strings of Swift are equal if they are canonically equivalent; schemas and URLs are not.
struct ExactText: Hashable, Sendable {
    private let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }
}
