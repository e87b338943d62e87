/// A URL as it may be printed: without user and password, without the fragment, and with `…` for each value in the query.
///
/// A part of the query that has no `=` becomes `…` as a whole, for it may be a key. Works on relative references too, and
/// on what is no URL at all; it never fails. `showingQuery` leaves the query as it is.
public func redacted(url: String, showingQuery: Bool = false) -> String {
    // Bytes, because a combining mark would make one character of itself and the delimiter before it.
    let url = url[..<(url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex)]
    guard let query = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return withoutUserinfo(url) }
    let text = withoutUserinfo(url[..<query])
    if showingQuery { return text + url[query...] }
    let parts = url.utf8[query...].dropFirst().split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    return text + "?" + parts.map(redacted(part:)).joined(separator: "&")
}

private func redacted(part: Substring.UTF8View) -> String {
    if part.isEmpty { return "" }
    guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return "…" }
    return String(Substring(part[..<equals])) + "=…"
}

/// The authority stands behind `//` and up to the next slash, and its userinfo before its last `@` (RFC 3986 §3.2). A
/// backslash does not end it: to the transport it is a character of the user.
private func withoutUserinfo(_ url: Substring) -> String {
    let bytes = url.utf8
    guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")),
        slash == bytes.startIndex || bytes[bytes.index(before: slash)] == UInt8(ascii: ":"),
        case let second = bytes.index(after: slash), second < bytes.endIndex, bytes[second] == UInt8(ascii: "/")
    else { return String(url) }
    let start = bytes.index(after: second)
    let authority = bytes[start...].prefix { $0 != UInt8(ascii: "/") }
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return String(url) }
    return String(url[..<start]) + url[bytes.index(after: at)...]
}
