/// Where the parts of a URL or a reference lie (RFC 3986 §3), without a judgement of what they hold.
public struct URLParts: Sendable {
    public let scheme: Substring?
    /// What stands between `//` and the next `/`, `?` or `#`.
    public let authority: Substring?
    /// Up to the query; may be empty.
    public let path: Substring
    /// Without its `?`.
    public let query: Substring?
    /// Without its `#`.
    public let fragment: Substring?

    /// Where path and query begin.
    public var pathStart: String.Index { path.startIndex }

    /// Nil when what looks like a scheme is none.
    public init?(_ text: String) {
        // Bytes, because a combining mark would make one character of itself and the delimiter before it.
        let bytes = text.utf8
        var rest = bytes[...]
        if let end = bytes.firstIndex(where: { ":/?#".utf8.contains($0) }), bytes[end] == UInt8(ascii: ":") {
            let scheme = bytes[..<end]
            guard let first = scheme.first, isLetter(first), scheme.allSatisfy(isSchemeByte) else { return nil }
            self.scheme = Substring(scheme)
            rest = bytes[bytes.index(after: end)...]
        } else {
            scheme = nil
        }
        if rest.starts(with: "//".utf8) {
            let authority = rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
            self.authority = Substring(authority)
            rest = bytes[authority.endIndex...]
        } else {
            authority = nil
        }
        let hash = rest.firstIndex(of: UInt8(ascii: "#"))
        fragment = hash.map { Substring(rest[rest.index(after: $0)...]) }
        rest = rest[..<(hash ?? rest.endIndex)]
        let mark = rest.firstIndex(of: UInt8(ascii: "?"))
        query = mark.map { Substring(rest[rest.index(after: $0)...]) }
        path = Substring(rest[..<(mark ?? rest.endIndex)])
    }

    /// User and password with their `@`, the last of the authority.
    public var userinfo: Substring? {
        guard let authority, let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        return Substring(authority.utf8[...at])
    }

    /// The authority without the user: a host, and maybe a port.
    public var hostAndPort: Substring? {
        authority.map { Substring($0.utf8[(userinfo?.endIndex ?? $0.startIndex)...]) }
    }

    /// The scheme in lower case, if it is `http` or `https`.
    package var httpScheme: String? {
        guard let scheme, (4...5).contains(scheme.utf8.count) else { return nil }
        return ["http", "https"].first { $0.utf8.elementsEqual(scheme.utf8.lazy.map(lowercased)) }
    }
}

private func isLetter(_ byte: UInt8) -> Bool { byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A }

private func isSchemeByte(_ byte: UInt8) -> Bool {
    isLetter(byte) || byte >= 0x30 && byte <= 0x39 || "+-.".utf8.contains(byte)
}
