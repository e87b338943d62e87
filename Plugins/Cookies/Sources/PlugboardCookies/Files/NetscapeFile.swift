import PlugboardKit

/// Reads and writes `cookies.txt`, the format of Netscape, curl and wget: a line per cookie, with seven fields between
/// tabs.
///
/// The format has no SameSite and no creation time, and cannot contain cookies with a tab in the name or a line break.
enum NetscapeFile {
    /// A line that is not a cookie.
    struct LineError: Equatable, Sendable {
        /// The number of the line, counted from 1.
        var line: Int
        var reason: String
    }

    /// The content of a file. Each cookie is checked as if its own host had just set it.
    struct Content: Equatable, Sendable {
        var cookies: [Cookie] = []
        var errors: [LineError] = []
    }

    static func read(_ bytes: [UInt8], now: Duration, suffixes: PublicSuffixes) -> Content {
        var content = Content()
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            do throws(Unreadable) {
                if let cookie = try cookie(text, now, suffixes) { content.cookies.append(cookie) }
            } catch {
                content.errors.append(LineError(line: index + 1, reason: error.reason))
            }
        }
        return content
    }

    /// The content of the file, and the number of cookies that it cannot contain.
    static func write(_ cookies: [Cookie]) -> (bytes: [UInt8], skipped: Int) {
        var bytes = Array("# Netscape HTTP Cookie File\n\n".utf8)
        var skipped = 0
        for cookie in cookies {
            guard !cookie.id.name.contains(tab), !cookie.id.path.contains(tab), isOneLine(cookie) else {
                skipped += 1
                continue
            }
            if cookie.isHTTPOnly { bytes += httpOnly }
            bytes += "\(cookie.id.isHostOnly ? "" : ".")\(cookie.id.domain)\t".utf8
            bytes += word(!cookie.id.isHostOnly) + [tab] + cookie.id.path + [tab] + word(cookie.isSecure)
            bytes += "\t\(cookie.expires?.components.seconds ?? 0)\t".utf8
            bytes += cookie.id.name + [tab] + cookie.value + [UInt8(ascii: "\n")]
        }
        return (bytes, skipped)
    }

    private struct Unreadable: Error {
        var reason: String
    }

    private static let tab = UInt8(ascii: "\t")
    private static let httpOnly = Array("#HttpOnly_".utf8)

    /// A line break can come from a URL that a program passes, or from a jar's file that another program has written.
    private static func isOneLine(_ cookie: Cookie) -> Bool {
        let isEnd = { (byte: UInt8) in byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
        return !cookie.id.domain.utf8.contains(where: isEnd)
            && ![cookie.id.name, cookie.id.path, cookie.value].contains { $0.contains(where: isEnd) }
    }

    private static func word(_ value: Bool) -> [UInt8] { Array((value ? "TRUE" : "FALSE").utf8) }

    /// Reads one line; nil for empty lines and comments.
    private static func cookie(
        _ line: ArraySlice<UInt8>, _ now: Duration, _ suffixes: PublicSuffixes
    ) throws(Unreadable) -> Cookie? {
        let isHTTPOnly = line.starts(with: httpOnly)
        if line.allSatisfy({ $0 == 0x20 || $0 == tab }) || line.first == UInt8(ascii: "#") && !isHTTPOnly { return nil }
        let fields = line.dropFirst(isHTTPOnly ? httpOnly.count : 0)
            .split(separator: tab, maxSplits: 6, omittingEmptySubsequences: false)
        // Programs that trim lines remove an empty value together with its tab.
        guard fields.count >= 6 else {
            throw Unreadable(reason: "It has \(fields.count) fields, but a cookie has seven.")
        }
        var field = SetCookie(name: Array(fields[5]), value: fields.count > 6 ? Array(fields[6]) : [])
        field.isHTTPOnly = isHTTPOnly
        field.isSecure = try flag(fields[3], "fourth")
        guard let seconds = Int64(String(decoding: fields[4], as: UTF8.self)) else {
            throw Unreadable(reason: "The fifth field is not a time in seconds.")
        }
        field.expires = seconds == 0 ? nil : seconds
        guard fields[2].first == UInt8(ascii: "/") else {
            throw Unreadable(reason: "The third field is not a path: it must begin with a slash.")
        }
        field.path = Array(fields[2])
        let domain = fields[0].dropFirst(fields[0].first == UInt8(ascii: ".") ? 1 : 0).map(lowercaseASCII)
        guard !domain.isEmpty, domain.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Unreadable(reason: "The first field is not a domain.")
        }
        if try flag(fields[1], "second") { field.domain = domain }
        let uri = RequestURI(
            isSecure: true, host: String(decoding: domain, as: UTF8.self), path: [UInt8(ascii: "/")])
        do throws(Refusal) {
            let cookie = try Cookie(field, from: uri, now: now, suffixes: suffixes)
            return cookie.hasExpired(at: now) ? nil : cookie
        } catch {
            throw Unreadable(reason: "The cookie is refused: \(error.rawValue).")
        }
    }

    private static func flag(_ field: ArraySlice<UInt8>, _ position: String) throws(Unreadable) -> Bool {
        switch String(decoding: field.map(lowercaseASCII), as: UTF8.self) {
        case "true": return true
        case "false": return false
        default: throw Unreadable(reason: "The \(position) field is neither TRUE nor FALSE.")
        }
    }
}
