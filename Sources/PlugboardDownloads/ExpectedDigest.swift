import PlugboardMessages

/// The SHA-256 that a file must have.
public struct ExpectedDigest: Sendable, Equatable {
    /// 64 hexadecimal digits in lower case.
    public let sha256: String

    /// Reads `sha-256=VALUE`, with 64 hexadecimal digits or base 64. Nil for anything else.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let name = String(decoding: bytes[..<equals], as: UTF8.self).lowercased()
        guard name == "sha-256" || name == "sha256" else { return nil }
        let value = String(decoding: bytes[(equals + 1)...], as: UTF8.self)
        let digits = value.lowercased()
        if digits.utf8.count == 64, digits.utf8.allSatisfy({ ExpectedDigest.isHexadecimal($0) }) {
            sha256 = digits
        } else if let decoded = Base64.decode(value), decoded.count == 32 {
            sha256 = decoded.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        } else {
            return nil
        }
    }

    /// What a response says of the whole representation: `Repr-Digest` (RFC 9530 §3), `Digest` (RFC 3230), and
    /// `Content-Digest` where the content is the whole. Nil without a SHA-256.
    init?(_ response: ResponseHead) {
        var values = response.fields.values("Repr-Digest") + response.fields.values("Digest")
        if response.status == 200 { values += response.fields.values("Content-Digest") }
        for value in values {
            for member in value.utf8.split(separator: UInt8(ascii: ",")) {
                // `sha-256=:BASE64:` in the first and the last, `SHA-256=BASE64` in the second.
                let text = member.filter { $0 != UInt8(ascii: ":") && $0 != 0x20 && $0 != 0x09 }
                if let digest = ExpectedDigest(String(decoding: text, as: UTF8.self)) {
                    self = digest
                    return
                }
            }
        }
        return nil
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }
}
