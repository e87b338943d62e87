import PlugboardKit

/// The content of a `Location` field: a URL, or a reference relative to the URL of the response (RFC 9110 §10.2.2).
struct Reference: Equatable, Sendable {
    /// The reference without surrounding blanks; bytes that are not allowed in a URL are percent-encoded.
    private let parts: URLParts

    /// Nil if the reference is empty, contains control characters, or begins with an invalid scheme.
    init?(location: UnsafeRawBufferPointer) {
        guard let first = location.firstIndex(where: { $0 != 0x20 && $0 != 0x09 }),
            let last = location.lastIndex(where: { $0 != 0x20 && $0 != 0x09 })
        else { return nil }
        let bytes = UnsafeRawBufferPointer(rebasing: location[first...last])
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        // Non-ASCII bytes in a host are encoded too, which makes the host invalid.
        guard let parts = URLParts(escaping: bytes) else { return nil }
        self.parts = parts
    }

    var text: String { parts.text }

    /// Whether the host contains bytes above ASCII, as they are or percent-encoded.
    var hasInternationalHost: Bool {
        guard let host = parts.host?.utf8 else { return false }
        return zip(host, host.dropFirst()).contains { $0 == UInt8(ascii: "%") && "89ABCDEFabcdef".utf8.contains($1) }
    }

    /// The scheme in lower case; nil for a relative reference.
    var scheme: String? { parts.scheme?.lowercased() }

    /// Adds what the new URL inherits from the old one: the fragment if the reference has none (RFC 9110 §10.2.2), and
    /// within an origin the user, so that a redirect that only adds a slash keeps it.
    static func carry(from url: String, over reference: Reference, to resolved: String, isSameOrigin: Bool) -> String {
        var target = String(resolved[..<(resolved.utf8.firstIndex(of: UInt8(ascii: "#")) ?? resolved.endIndex)])
        if isSameOrigin, let user = URLParts(url)?.userinfo, let parts = URLParts(target), parts.userinfo == nil,
            let authority = parts.authority
        {
            target.insert(contentsOf: user, at: authority.startIndex)
        }
        if let fragment = reference.parts.fragment ?? URLParts(url)?.fragment { target += "#" + fragment }
        return target
    }
}
