/// URLs, and patterns for them, in the form in which they are compared.
enum ComparableURL {
    /// Scheme and host in lowercase, without user, default port and fragment, and with a path (RFC 3986 §6.2).
    ///
    /// A pattern may have `*` in any part; nil if it has no scheme and does not begin with `*`.
    static func bytes(_ url: String) -> [UInt8]? {
        var text = Array(url.utf8)
        if let hash = text.firstIndex(of: UInt8(ascii: "#")) { text.removeSubrange(hash...) }
        guard let mark = separator(text) else { return text.first == UInt8(ascii: "*") ? text : nil }
        guard mark > 0 else { return nil }
        let scheme = text[..<mark].map(lowercased)
        let start = mark + 3
        let slash = UInt8(ascii: "/")
        let end = text[start...].firstIndex { $0 == slash || $0 == UInt8(ascii: "?") } ?? text.endIndex
        var authority = text[start..<end]
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) { authority = authority[(at + 1)...] }
        let port = scheme == Array("https".utf8) ? ":443" : scheme == Array("http".utf8) ? ":80" : ""
        if !port.isEmpty, authority.count > port.utf8.count, authority.suffix(port.utf8.count).elementsEqual(port.utf8)
        {
            authority.removeLast(port.utf8.count)
        }
        var rest = Array(text[end...])
        // A star at the end stands for a path, too.
        if rest.first != slash, authority.last != UInt8(ascii: "*") { rest.insert(slash, at: 0) }
        return scheme + Array("://".utf8) + authority.map(lowercased) + rest
    }

    /// The end of the scheme: the index of `://`, if no slash or question mark precedes it.
    private static func separator(_ text: [UInt8]) -> Int? {
        guard let colon = text.firstIndex(where: { ":/?".utf8.contains($0) }), text[colon] == UInt8(ascii: ":"),
            text[colon...].starts(with: "://".utf8)
        else { return nil }
        return colon
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
