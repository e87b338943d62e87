/// A pattern of URLs, in which `*` stands for any characters, slashes too.
///
///     *    https://api.example.com/*    https://*.example.com/v1/*    */orders*    http://a.test/*page=2
///
/// It begins with a scheme or with `*`. Pattern and URL are compared as wholes, in the form of `comparable(_:)`:
/// `https://api.example.com` matches only `https://api.example.com/`.
public struct URLWildcard: Sendable {
    private let wildcard: Wildcard

    /// Nil if the text has no scheme and does not begin with `*`, so that it matches no URL.
    public init?(_ text: String) {
        guard let form = URLWildcard.comparable(text) else { return nil }
        wildcard = Wildcard(String(decoding: form, as: UTF8.self))
    }

    /// Whether a URL matches.
    ///
    /// - Parameter url: The URL in the form of `comparable(_:)`, which is made once for all patterns.
    public func matches(_ url: [UInt8]) -> Bool { wildcard.matches(url) }

    /// A URL in the form in which it is compared: scheme and host in lower case, without user, fragment and the
    /// scheme's own port, and with a path (RFC 3986 §6.2). All else stays as it is written.
    ///
    /// A pattern may have `*` in any part. One that begins with `*` and has no `://` only loses its fragment. Nil for
    /// any other text without a scheme.
    public static func comparable(_ url: String) -> [UInt8]? {
        let text = Array(url.utf8.prefix { $0 != UInt8(ascii: "#") })
        guard let colon = text.firstIndex(where: { ":/?".utf8.contains($0) }), text[colon...].starts(with: "://".utf8)
        else { return text.first == UInt8(ascii: "*") ? text : nil }
        if colon == 0 { return nil }
        var form: [UInt8] = []
        form.reserveCapacity(text.count + 1)
        form += text[..<colon].lazy.map(lowercased)
        let ownPort = form.elementsEqual("https".utf8) ? ":443" : form.elementsEqual("http".utf8) ? ":80" : ""
        let start = colon + 3
        let slash = UInt8(ascii: "/")
        let end = text[start...].firstIndex { $0 == slash || $0 == UInt8(ascii: "?") } ?? text.endIndex
        var authority = text[start..<end]
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) { authority = authority[(at + 1)...] }
        let portCount = ownPort.utf8.count
        if authority.count > portCount, authority.suffix(portCount).elementsEqual(ownPort.utf8) {
            authority.removeLast(portCount)
        }
        form += "://".utf8
        form += authority.lazy.map(lowercased)
        // A star at the end of the authority stands for a path, too.
        if end == text.endIndex || text[end] != slash, authority.last != UInt8(ascii: "*") { form.append(slash) }
        form += text[end...]
        return form
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
