import PlugboardKit

/// Identifies a request, so that a server recognizes its repetitions (draft-ietf-httpapi-idempotency-key-header).
///
/// A random UUID (RFC 9562 §5.4), as a string of structured fields.
struct IdempotencyKey: Sendable {
    static let field: FieldName = "Idempotency-Key"

    let value: String

    /// Formats 16 random bytes.
    init(random: [UInt8]) {
        var text = "\""
        for (index, byte) in random.prefix(16).enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            // Version 4, variant 10.
            let byte = index == 6 ? byte & 0x0F | 0x40 : index == 8 ? byte & 0x3F | 0x80 : byte
            text += byte < 0x10 ? "0" : ""
            text += String(byte, radix: 16)
        }
        value = text + "\""
    }
}

/// The key of an exchange, kept over all its turns.
final class NamedRequest: Sendable {
    let method: Method
    let key: IdempotencyKey

    init(_ method: Method, _ key: IdempotencyKey) {
        self.method = method
        self.key = key
    }
}
