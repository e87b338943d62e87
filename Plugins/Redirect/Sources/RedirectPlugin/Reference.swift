import PlugboardKit

/// What a `Location` field says: a URL, or a reference that is relative to the one that answered (RFC 9110 §10.2.2).
struct Reference: Equatable, Sendable {
    /// Without blanks around it; bytes that a path or query cannot hold as they are, percent-encoded.
    let text: String

    /// Nil when it is empty, holds control characters, or begins with what looks like a scheme and is none.
    init?(location: UnsafeRawBufferPointer) {
        let blanks: [UInt8] = [0x20, 0x09]
        let bytes = location.drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed()
        guard !bytes.isEmpty, bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        // Latin-1 keeps each byte a character of its own, so that the parts are found before anything is encoded.
        let raw = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        guard let parts = URLParts(raw) else { return nil }
        let start = raw.unicodeScalars.distance(from: raw.startIndex, to: parts.pathStart)
        guard let head = String(validating: bytes.prefix(start), as: UTF8.self) else { return nil }
        text = head + bytes.dropFirst(start).map(Self.encoded).joined()
    }

    /// In lower case; nil of a relative reference.
    var scheme: String? { URLParts(text)?.scheme?.lowercased() }

    private var fragment: Substring? { URLParts(text)?.fragment }

    private static func encoded(_ byte: UInt8) -> String {
        if byte > 0x20 && byte < 0x80 { return String(Unicode.Scalar(byte)) }
        let digits = String(byte, radix: 16, uppercase: true)
        return "%" + (digits.count == 1 ? "0" + digits : digits)
    }

    /// What the new URL inherits from the old one: the fragment if the reference has none (RFC 9110 §10.2.2), and at the
    /// same origin the user, so that a redirect to the same place with a slash does not log out.
    static func carry(from url: String, over reference: Reference, to resolved: String, isSameOrigin: Bool) -> String {
        var target = String(resolved[..<(resolved.utf8.firstIndex(of: UInt8(ascii: "#")) ?? resolved.endIndex)])
        if isSameOrigin, let user = userinfo(of: url), userinfo(of: target) == nil,
            let authority = URLParts(target)?.authority
        {
            target.insert(contentsOf: user, at: authority.startIndex)
        }
        if let fragment = reference.fragment ?? URLParts(url)?.fragment { target += "#" + fragment }
        return target
    }

    /// With its `@`.
    private static func userinfo(of url: String) -> Substring? {
        guard let authority = URLParts(url)?.authority, let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) else {
            return nil
        }
        return authority[...at]
    }
}
