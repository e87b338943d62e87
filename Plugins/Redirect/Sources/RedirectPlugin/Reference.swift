import PlugboardKit

/// What a `Location` field says: a URL, or a reference that is relative to the one that answered (RFC 9110 §10.2.2).
struct Reference: Equatable, Sendable {
    /// Without the blanks around it; bytes that a URL cannot hold are percent-encoded.
    private let parts: URLParts

    /// Nil when it is empty, holds control characters, or begins with what looks like a scheme and is none.
    init?(location: UnsafeRawBufferPointer) {
        guard let first = location.firstIndex(where: { $0 != 0x20 && $0 != 0x09 }),
            let last = location.lastIndex(where: { $0 != 0x20 && $0 != 0x09 })
        else { return nil }
        let bytes = UnsafeRawBufferPointer(rebasing: location[first...last])
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        // A host beyond ASCII becomes one that cannot be.
        guard let parts = URLParts(String(decoding: PercentEncoding.escaped(bytes), as: UTF8.self)) else { return nil }
        self.parts = parts
    }

    var text: String { parts.text }

    /// In lower case; nil of a relative reference.
    var scheme: String? { parts.scheme?.lowercased() }

    /// What the new URL inherits from the old one: the fragment if the reference has none (RFC 9110 §10.2.2), and at the
    /// same origin the user, so that a redirect to the same place with a slash does not log out.
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
