import PlugboardFieldValues
import PlugboardMessages

/// The digest that a file must have.
public struct ExpectedDigest: Sendable, Equatable {
    /// The functions whose digests are verified. SHA-1 and MD5 are excluded, because files can be made that have the
    /// same digest as another file.
    public enum Algorithm: String, Sendable, CaseIterable {
        /// SHA-256 (FIPS 180-4).
        case sha256 = "sha-256"
        /// SHA-512 (FIPS 180-4).
        case sha512 = "sha-512"

        /// Reads a name, such as `sha-256` or `SHA256`.
        package init?(_ name: String) {
            let name = name.lowercased()
            guard
                let known = Algorithm.allCases.first(where: { $0.rawValue == name || "sha\($0.byteCount * 8)" == name })
            else { return nil }
            self = known
        }

        var byteCount: Int { self == .sha256 ? 32 : 64 }
        /// The name for people.
        var title: String { self == .sha256 ? "SHA-256" : "SHA-512" }
    }

    /// The function.
    public let algorithm: Algorithm
    /// The digest in hexadecimal digits, in lower case.
    public let hexadecimal: String

    /// The text that `init(_:)` reads.
    var text: String { "\(algorithm.rawValue)=\(hexadecimal)" }

    /// Reads `sha-256=VALUE` or `sha-512=VALUE`, with hexadecimal digits or base 64. Nil for anything else.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        self.init(
            String(decoding: bytes[..<equals], as: UTF8.self), String(decoding: bytes[(equals + 1)...], as: UTF8.self))
    }

    /// Reads the name of a function, such as `sha-256`, and the digest, in hexadecimal digits or base 64. Nil for
    /// another function, and for an invalid digest.
    public init?(_ name: String, _ value: String) {
        guard let algorithm = Algorithm(name) else { return nil }
        let digits = value.lowercased()
        if digits.utf8.count == 2 * algorithm.byteCount, digits.utf8.allSatisfy({ hexadecimalValue($0) != nil }) {
            hexadecimal = digits
        } else if let decoded = Base64.decode(value), decoded.count == algorithm.byteCount {
            hexadecimal = decoded.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        } else {
            return nil
        }
        self.algorithm = algorithm
    }

    /// The strongest digest of the whole representation that a response has and that can be verified: `Repr-Digest`
    /// (RFC 9530 §3), `Digest` (RFC 3230), and `Content-Digest` if the content is the whole. Nil if there is none.
    init?(_ response: ResponseHead) {
        var fields = ["Repr-Digest", "Digest"]
        if response.status == 200 { fields.append("Content-Digest") }
        var found: [Algorithm: ExpectedDigest] = [:]
        for name in fields {
            var members: [Algorithm: ExpectedDigest] = [:]
            for member in response.fields.values(FieldName(name)).joined(separator: ",").utf8.split(separator: 0x2C) {
                // `sha-256=:BASE64:;parameters` in `Repr-Digest` and `Content-Digest`, `SHA-256=BASE64` in `Digest`.
                let text = member.prefix { $0 != UInt8(ascii: ";") }.filter { !": \t".utf8.contains($0) }
                let parts = text.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, let algorithm = Algorithm(String(decoding: parts[0], as: UTF8.self)) else {
                    continue
                }
                // Of a repeated key, the last value is used (RFC 9651 §4.2.2), even if it is not a digest.
                members[algorithm] = ExpectedDigest(algorithm.rawValue, String(decoding: parts[1], as: UTF8.self))
            }
            found.merge(members) { first, _ in first }
        }
        guard let strongest = found[.sha512] ?? found[.sha256] else { return nil }
        self = strongest
    }
}
