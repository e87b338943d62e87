extension Printable {
    /// A URL without user, password and fragment, with `…` for each value in the query, and without characters that
    /// `text(_:)` escapes.
    ///
    /// A parameter without `=` becomes `…`, because it may be a key. Relative references and texts that only resemble
    /// URLs are redacted too: the function never fails.
    ///
    /// - Parameter showingQuery: True keeps the query as it is.
    public static func url(_ url: String, showingQuery: Bool = false) -> String {
        if let url = plainURL(url, showingQuery: showingQuery) { return url }
        // Bytes, because a combining mark would form one character with the delimiter before it.
        let url = Substring(withoutUserinfo(url).utf8.prefix { $0 != UInt8(ascii: "#") })
        guard !showingQuery, let query = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return text(String(url)) }
        let parameters = url.utf8[query...].dropFirst()
            .split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        return text("\(Substring(url.utf8[..<query]))?" + parameters.map(redacted).joined(separator: "&"))
    }
}

/// `Printable.url` of a text of visible ASCII characters without `@`, as most URLs are; nil for others. In one pass,
/// because plugins that watch need the URL of each request.
private func plainURL(_ url: String, showingQuery: Bool) -> String? {
    withUTF8(url) { bytes in
        var (query, end, parameters) = (bytes.count, bytes.count, 1)
        for index in 0..<bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "@"), 0..<0x20, 0x7F...: return nil
            case UInt8(ascii: "#"): end = min(end, index)
            case UInt8(ascii: "?"): query = min(query, index)
            case UInt8(ascii: "&"): parameters += 1
            default: break
            }
        }
        if query >= end || showingQuery {
            return end == bytes.count ? url : String(decoding: bytes[..<end], as: UTF8.self)
        }
        return String(unsafeUninitializedCapacity: end + 3 * parameters) { text in
            UnsafeMutableRawBufferPointer(text).copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[...query]))
            var count = query + 1
            // The first byte of a parameter, and of those from which on its bytes are not copied.
            var (start, hidden) = (count, nil as Int?)
            for index in start...end {
                let byte = index < end ? bytes[index] : UInt8(ascii: "&")
                if byte == UInt8(ascii: "&") {
                    // A parameter without a value may be a key.
                    if hidden == nil { count -= index - start }
                    if index > start {
                        (text[count], text[count + 1], text[count + 2]) = (0xE2, 0x80, 0xA6)
                        count += 3
                    }
                    (start, hidden) = (index + 1, nil)
                }
                if hidden == nil, index < end {
                    text[count] = byte
                    count += 1
                }
                if byte == UInt8(ascii: "="), hidden == nil { hidden = index }
            }
            return count
        }
    }
}

private func redacted(_ parameter: Substring.UTF8View) -> String {
    if parameter.isEmpty { return "" }
    guard let equals = parameter.firstIndex(of: UInt8(ascii: "=")) else { return "…" }
    return String(Substring(parameter[..<equals])) + "=…"
}

// `URLParts` reads a URL as RFC 3986 does. A text that is printed may be read by other programs, or may not be a URL
// at all; so everything that one of them could take for a user is removed here.

/// The index at which a user could begin: after a scheme and its slashes, after two slashes at the start, or at the
/// start of a text that has neither. Nil for a path. Programs read a backslash as a slash, or as a part of the user.
private func authorityStart(_ url: Substring.UTF8View) -> String.Index? {
    let first = url.firstIndex(where: isSlash) ?? url.endIndex
    let run = url[first...].prefix(while: isSlash)
    if first == url.startIndex { return run.count == 1 ? nil : run.endIndex }
    // A text with a user, as in `user@https://`, is no scheme.
    let isScheme = url[..<first].last == UInt8(ascii: ":") && !url[..<first].contains(UInt8(ascii: "@"))
    return !run.isEmpty && isScheme ? run.endIndex : url.startIndex
}

/// The text without its user, which ends at the last `@` of the authority (RFC 3986 §3.2). If the authority has a colon
/// that no port follows, a delimiter in the password has ended it too early, and the user ends at the last `@` of the
/// text.
///
/// The rest may hold another user, as in `@//user@host` and `http://@/user@host`. So users are removed until there are
/// none.
private func withoutUserinfo(_ url: String) -> String {
    var kept = ""
    var rest = url.utf8[...]
    // Whether slashes precede the rest.
    var isRooted = false
    while let start = isRooted ? rest.firstIndex(where: { !isSlash($0) }) : authorityStart(rest) {
        let authority = rest[start...].prefix { !endsAuthority($0) }
        let isRootedHere = isRooted || start > rest.startIndex
        let at =
            authority.lastIndex(of: UInt8(ascii: "@"))
            ?? (isRootedHere && endsTooEarly(authority) ? rest.lastIndex(of: UInt8(ascii: "@")) : nil)
        guard let at else { break }
        kept += String(Substring(rest[..<start]))
        isRooted = isRootedHere
        rest = rest[rest.index(after: at)...]
    }
    return kept.isEmpty && rest.startIndex == url.startIndex ? url : kept + String(Substring(rest))
}

private func endsTooEarly(_ authority: Substring.UTF8View) -> Bool {
    guard authority.first != UInt8(ascii: "["), let colon = authority.firstIndex(of: UInt8(ascii: ":")) else {
        return false
    }
    return !authority[colon...].dropFirst().allSatisfy { (0x30...0x39).contains($0) }
}

private func isSlash(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }
