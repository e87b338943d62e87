/// A URL as it may be printed: without user and password, without the fragment, and with `…` for each value in the query.
///
/// A part of the query that has no `=` becomes `…` as a whole, for it may be a key. Works on relative references too, and
/// on what only resembles a URL; it never fails. `showingQuery` leaves the query as it is.
public func redacted(url: String, showingQuery: Bool = false) -> String {
    redacted(rest: withoutUserinfo(url), showingQuery: showingQuery)
}

private func redacted(rest url: String, showingQuery: Bool) -> String {
    // Bytes, because a combining mark would make one character of itself and the delimiter before it.
    let url = Substring(url.utf8.prefix { $0 != UInt8(ascii: "#") })
    guard !showingQuery, let query = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return String(url) }
    let parts = url.utf8[query...].dropFirst().split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    return "\(Substring(url.utf8[..<query]))?" + parts.map(redacted(part:)).joined(separator: "&")
}

private func redacted(part: Substring.UTF8View) -> String {
    if part.isEmpty { return "" }
    guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return "…" }
    return String(Substring(part[..<equals])) + "=…"
}

/// Where a user could begin: behind a scheme and its slashes, behind two slashes at the start, or at the start of what has
/// neither. Nil for a path. Programs read a backslash as a slash, or as a part of the user.
private func authorityStart(_ url: Substring.UTF8View) -> String.Index? {
    let first = url.firstIndex(where: isSlash) ?? url.endIndex
    let run = url[first...].prefix(while: isSlash)
    if first == url.startIndex { return run.count == 1 ? nil : run.endIndex }
    return !run.isEmpty && url[url.index(before: first)] == UInt8(ascii: ":") ? run.endIndex : url.startIndex
}

/// The user ends at the last `@` of the authority (RFC 3986 §3.2). Where the authority has a colon and no port behind it,
/// a delimiter in the password has cut it short, and the user ends at the last `@` of all.
///
/// The rest may hold another user, as in `@//user@host` and `http://@/user@host`. So the cut is repeated until none is
/// left.
private func withoutUserinfo(_ url: String) -> String {
    var kept = ""
    var rest = url.utf8[...]
    // Whether slashes stand before the rest.
    var isRooted = false
    while let start = isRooted ? rest.firstIndex(where: { !isSlash($0) }) : authorityStart(rest) {
        let authority = rest[start...].prefix { !"/?#".utf8.contains($0) }
        let isRootedHere = isRooted || start > rest.startIndex
        let at =
            authority.lastIndex(of: UInt8(ascii: "@"))
            ?? (isRootedHere && isCutShort(authority) ? rest.lastIndex(of: UInt8(ascii: "@")) : nil)
        guard let at else { break }
        kept += String(Substring(rest[..<start]))
        isRooted = isRootedHere
        rest = rest[rest.index(after: at)...]
    }
    return kept.isEmpty && rest.startIndex == url.startIndex ? url : kept + String(Substring(rest))
}

private func isCutShort(_ authority: Substring.UTF8View) -> Bool {
    guard authority.first != UInt8(ascii: "["), let colon = authority.firstIndex(of: UInt8(ascii: ":")) else {
        return false
    }
    return !authority[colon...].dropFirst().allSatisfy { (0x30...0x39).contains($0) }
}

private func isSlash(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }
