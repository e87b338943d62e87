/// Responses that violate RFC 9110 or RFC 9112. A recipient may repair some of them, and must refuse others.
package enum MalformedResponse: String, CaseIterable, Sendable {
    /// Not HTTP.
    case garbage = "SSH-2.0-OpenSSH_9.2\r\n\r\n"
    /// A body without any head.
    case bodyOnly = "<html><body>Hello</body></html>"
    /// A head that ends inside its status line.
    case statusLineCutShort = "HTTP/1.1 20"
    /// A head that ends before its empty line.
    case headCutShort = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Mor"
    /// RFC 9112 §4: a status code is three digits.
    case statusOfLetters = "HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n"
    case statusTooLong = "HTTP/1.1 20000 OK\r\nContent-Length: 0\r\n\r\n"
    case versionUnknown = "HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n"
    /// RFC 9112 §5: a field line without a colon.
    case fieldWithoutColon = "HTTP/1.1 200 OK\r\nno colon here\r\nContent-Length: 0\r\n\r\n"
    /// RFC 9112 §5.1: no space between name and colon.
    case spaceBeforeColon = "HTTP/1.1 200 OK\r\nX-Space : 1\r\nContent-Length: 0\r\n\r\n"
    case nameEmpty = "HTTP/1.1 200 OK\r\n: nameless\r\nContent-Length: 0\r\n\r\n"
    /// RFC 9112 §5.2: obsolete line folding.
    case foldedField = "HTTP/1.1 200 OK\r\nX-Folded: one\r\n two\r\nContent-Length: 0\r\n\r\n"
    /// RFC 9110 §5.5: NUL in a value.
    case nulInValue = "HTTP/1.1 200 OK\r\nX-Nul: a\0b\r\nContent-Length: 0\r\n\r\n"
    case nulInName = "HTTP/1.1 200 OK\r\nX-\0Nul: a\r\nContent-Length: 0\r\n\r\n"
    /// RFC 9112 §2.2: lines that end with LF alone.
    case bareLineFeeds = "HTTP/1.1 200 OK\nContent-Length: 2\n\nok"
    /// RFC 9112 §6.3, rule 5.
    case lengthOfLetters = "HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\nhello"
    case lengthNegative = "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello"
    case lengthOverflowing = "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nhello"
    case lengthsConflicting = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 3\r\n\r\nhello"
    /// RFC 9112 §6.3, rule 3: both framings at once.
    case lengthAndChunked =
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
    /// RFC 9112 §7: an unknown transfer coding.
    case codingUnknown = "HTTP/1.1 200 OK\r\nTransfer-Encoding: rot13\r\n\r\nuryyb"
    /// RFC 9112 §7.1: chunk sizes.
    case chunkSizeOfLetters = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nok\r\n0\r\n\r\n"
    case chunkSizeOverflowing =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nok\r\n0\r\n\r\n"
    case chunkTooLong = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nokay\r\n0\r\n\r\n"

    package var bytes: [UInt8] { Array(rawValue.utf8) }
}
