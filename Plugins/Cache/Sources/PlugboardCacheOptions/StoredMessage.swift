import PlugboardKit
import Synchronization

/// Reads a stored response from a command's reply: head and body in the form of HTTP/1.1 (RFC 9112 §2.1).
enum StoredMessage {
    /// The most bytes of a head; no stored head is larger.
    private static let headLimit = 1 << 20

    static func read(_ body: Body, url: String) async throws(PlugboardError) -> Response {
        var bytes: [UInt8] = []
        var iterator = body.makeAsyncIterator()
        while let piece = try await iterator.next(), bytes.count < headLimit {
            // The end of the head may be split between two pieces.
            let searched = max(bytes.count - 3, 0)
            piece.withUnsafeBytes { bytes += $0 }
            guard let end = endOfHead(bytes[searched...]) else { continue }
            guard let head = head(bytes[..<end]) else { break }
            let rest = Rest(Bytes(Array(bytes[(end + 4)...])), body.source)
            return Response(head: head, body: Body(rest), url: url)
        }
        throw PlugboardError(.cacheCommand, "The plugin cache replied without an HTTP message.")
    }

    /// The index of the empty line that ends the head.
    private static func endOfHead(_ bytes: ArraySlice<UInt8>) -> Int? {
        bytes.indices.first { bytes[$0...].starts(with: [13, 10, 13, 10]) }
    }

    private static func head(_ bytes: ArraySlice<UInt8>) -> ResponseHead? {
        var lines = bytes.split(separator: 13).map { $0.first == 10 ? $0.dropFirst() : $0 }[...]
        guard let status = lines.popFirst(), status.starts(with: "HTTP/1.1 ".utf8),
            let code = Int(String(decoding: status.dropFirst(9).prefix(3), as: UTF8.self))
        else { return nil }
        var fields = Fields()
        for line in lines {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == UInt8(ascii: " ") }
            Array(line[..<colon]).withUnsafeBytes { name in
                Array(value).withUnsafeBytes { fields.append(name, $0) }
            }
        }
        return ResponseHead(status: code, fields: fields)
    }

    /// The bytes read beyond the head, then the rest of the body.
    private final class Rest: BodySource {
        private let first: Mutex<Bytes?>
        private let source: any BodySource

        init(_ first: Bytes, _ source: any BodySource) {
            self.first = Mutex(first.isEmpty ? nil : first)
            self.source = source
        }

        var length: Int? { nil }

        func nextIfReady() -> Piece? {
            let bytes = first.withLock { first in
                defer { first = nil }
                return first
            }
            return bytes.map { .bytes($0) } ?? source.nextIfReady()
        }

        func pull(_ pull: Pull) {
            if let piece = nextIfReady() { pull.complete(piece) } else { source.pull(pull) }
        }

        func release() { source.release() }
    }
}
