import Foundation

/// A server whose first body breaks off, and which then sends the rest in one of several correct or wrong ways.
package struct BrokenRanges: Sendable, CustomStringConvertible {
    package let description: String
    private let status: Int
    private let fields: [String]
    private let rest: Rest
    private let framing: Framing

    /// The bytes of the response to a request with a range.
    package enum Rest: Sendable {
        /// The requested bytes.
        case right
        /// The requested range of another version.
        case wrong
        /// The requested bytes, with a number of bytes more or less.
        case off(Int)
        /// All bytes of the first version.
        case whole
        /// All bytes of another version.
        case otherWhole
        case nothing
        /// At most 5,000 of the requested bytes.
        case less
    }

    package enum Framing: Sendable { case length, chunked, untilClose }

    package static let size = 20_000
    package static let cut = 8_000
    package static let old = RangeServer.content(size, seed: 1)
    package static let new = RangeServer.content(size, seed: 2)

    init(_ name: String, _ status: Int, _ fields: [String], _ rest: Rest = .wrong, _ framing: Framing = .length) {
        (description, self.status, self.fields, self.rest, self.framing) = (name, status, fields, rest, framing)
    }

    /// The response to a later request without a range: the file that a download must then have.
    package var current: [UInt8] {
        switch rest {
        case .right, .off, .whole, .nothing, .less: BrokenRanges.old
        case .wrong, .otherWhole: BrokenRanges.new
        }
    }

    /// Whether a client that follows RFC 9110 gets the right bytes with the first request for the rest.
    package var isRight: Bool {
        switch rest {
        case .right, .whole, .less: true
        default: false
        }
    }

    package func server() throws -> RangeServer {
        try RangeServer { [self] number, request in
            let isFirst = number == 1
            guard !isFirst, let (first, _) = RangeServer.range(of: request) else {
                let body = isFirst ? BrokenRanges.old : current
                let tag = body == BrokenRanges.old ? "\"a\"" : "\"b\""
                return .init(200, [("ETag", tag)], body, cut: isFirst ? BrokenRanges.cut : nil)
            }
            var reply = RangeServer.Reply(status, lines(first), bytes(first))
            reply.isChunked = framing == .chunked
            reply.isUntilClose = framing == .untilClose
            return reply
        }
    }

    private func lines(_ first: Int) -> [ServerResponse.Field] {
        fields.map { line in
            var text = line
            let size = BrokenRanges.size
            for (name, number) in [
                ("{first}", first), ("{before}", first - 1), ("{after}", first + 1), ("{last}", size - 1),
                ("{size}", size), ("{beyond}", size + 1), ("{middle}", size - 5000),
                ("{less}", min(first + 4999, size - 1)),
            ] {
                text = text.replacingOccurrences(of: name, with: "\(number)")
            }
            let colon = text.firstIndex(of: ":") ?? text.endIndex
            return (String(text[..<colon]), String(text[colon...].dropFirst(2)))
        }
    }

    private func bytes(_ first: Int) -> [UInt8] {
        switch rest {
        case .right: Array(BrokenRanges.old[min(first, BrokenRanges.size)...])
        case .wrong: Array(BrokenRanges.new[min(first, BrokenRanges.size)...])
        case .off(let count):
            count < 0
                ? Array(BrokenRanges.old[first...].dropLast(-count))
                : Array(BrokenRanges.old[first...]) + [UInt8](repeating: 0, count: count)
        case .whole: BrokenRanges.old
        case .otherWhole: BrokenRanges.new
        case .nothing: []
        case .less: Array(BrokenRanges.old[first..<min(first + 5000, BrokenRanges.size)])
        }
    }

    private static let tag = "ETag: \"a\""
    private static let range = "Content-Range: bytes {first}-{last}/{size}"

    /// All ways to send the rest, except the correct one.
    package static let all: [BrokenRanges] = [
        BrokenRanges("the rest", 206, [tag, range], .right),
        BrokenRanges("the rest in chunks", 206, [tag, range], .right, .chunked),
        BrokenRanges("the rest up to the end of the connection", 206, [tag, range], .right, .untilClose),
        BrokenRanges(
            "the rest with an unknown complete length", 206, [tag, "Content-Range: bytes {first}-{last}/*"], .right),
        BrokenRanges("less than the rest", 206, [tag, "Content-Range: bytes {first}-{less}/{size}"], .less),
        BrokenRanges("the whole, which ignores the range", 200, [tag], .whole),
        BrokenRanges("the whole in chunks", 200, [tag], .whole, .chunked),
        BrokenRanges("another whole", 200, ["ETag: \"b\""], .otherWhole),
        BrokenRanges("another whole with a weak tag", 200, ["ETag: W/\"a\""], .otherWhole),
        BrokenRanges("another whole without a validator", 200, [], .otherWhole),
        BrokenRanges("a whole changed by a proxy", 203, [tag], .otherWhole),
        BrokenRanges("another tag", 206, ["ETag: \"b\"", range]),
        BrokenRanges("the same tag, weak", 206, ["ETag: W/\"a\"", range]),
        BrokenRanges("the tag without quotes", 206, ["ETag: a", range]),
        BrokenRanges("the tag in another case", 206, ["ETag: \"A\"", range]),
        BrokenRanges("two tags", 206, [tag, "ETag: \"b\"", range]),
        BrokenRanges("no validator", 206, [range]),
        BrokenRanges("a date in place of the tag", 206, ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", range]),
        BrokenRanges("a part that starts earlier", 206, [tag, "Content-Range: bytes {before}-{last}/{size}"]),
        BrokenRanges("a part that starts later", 206, [tag, "Content-Range: bytes {after}-{last}/{size}"]),
        BrokenRanges("a part that starts at 0", 206, [tag, "Content-Range: bytes 0-{last}/{size}"], .otherWhole),
        BrokenRanges("the last bytes", 206, [tag, "Content-Range: bytes {middle}-{last}/{size}"]),
        BrokenRanges("a part of another length", 206, [tag, "Content-Range: bytes {first}-{last}/{beyond}"]),
        BrokenRanges("an end beyond the length", 206, [tag, "Content-Range: bytes {first}-{size}/{size}"]),
        BrokenRanges("an end beyond the known length", 206, [tag, "Content-Range: bytes {first}-{size}/*"]),
        BrokenRanges("an end before the start", 206, [tag, "Content-Range: bytes {first}-{before}/{size}"]),
        BrokenRanges("no Content-Range", 206, [tag]),
        BrokenRanges("no Content-Range, and the whole", 206, [tag], .otherWhole),
        BrokenRanges("an empty Content-Range", 206, [tag, "Content-Range: "]),
        BrokenRanges("two Content-Ranges", 206, [tag, range, "Content-Range: bytes 0-{last}/{size}"]),
        BrokenRanges("another unit", 206, [tag, "Content-Range: lines {first}-{last}/{size}"]),
        BrokenRanges("the form of a request", 206, [tag, "Content-Range: bytes={first}-{last}/{size}"]),
        BrokenRanges("an unsatisfied range in a part", 206, [tag, "Content-Range: bytes */{size}"]),
        BrokenRanges("no complete length", 206, [tag, "Content-Range: bytes {first}-{last}"]),
        BrokenRanges("a number that overflows", 206, [tag, "Content-Range: bytes {first}-99999999999999999999/*"]),
        BrokenRanges("a number with a sign", 206, [tag, "Content-Range: bytes +{first}-{last}/{size}"]),
        BrokenRanges("text after the range", 206, [tag, "Content-Range: bytes {first}-{last}/{size};"]),
        BrokenRanges("a range of fewer bytes", 206, [tag, "Content-Range: bytes {first}-{middle}/{size}"]),
        BrokenRanges("fewer bytes than the range", 206, [tag, range], .off(-10)),
        BrokenRanges("fewer bytes than the range, in chunks", 206, [tag, range], .off(-10), .chunked),
        BrokenRanges("fewer bytes than the range, up to the end", 206, [tag, range], .off(-10), .untilClose),
        BrokenRanges("more bytes than the range", 206, [tag, range], .off(10)),
        BrokenRanges("more bytes than the range, in chunks", 206, [tag, range], .off(10), .chunked),
        BrokenRanges("more bytes than the range, up to the end", 206, [tag, range], .off(10), .untilClose),
        BrokenRanges("no bytes", 206, [tag, range], .nothing),
        BrokenRanges("no bytes, in chunks", 206, [tag, range], .nothing, .chunked),
        BrokenRanges("a content coding", 206, [tag, "Content-Encoding: gzip", range]),
        BrokenRanges("several parts", 206, [tag, "Content-Type: multipart/byteranges; boundary=x"]),
        BrokenRanges(
            "several parts, and a range", 206, [tag, "Content-Type: multipart/byteranges; boundary=x", range]),
        BrokenRanges("304", 304, [tag], .nothing),
        BrokenRanges("412", 412, [tag], .wrong),
        BrokenRanges("416", 416, ["Content-Range: bytes */100"], .wrong),
        BrokenRanges("416 with the known length", 416, [tag, "Content-Range: bytes */{size}"], .wrong),
    ]
}
