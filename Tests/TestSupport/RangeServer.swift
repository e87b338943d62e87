import Foundation
import Synchronization

/// A server of one representation that breaks bodies off, and sends ranges as a test defines.
package final class RangeServer: Sendable {
    /// The reply to one request.
    package struct Reply: Sendable {
        package var status: Int
        package var fields: [ServerResponse.Field]
        package var body: [UInt8]
        /// The bytes of the body that are sent before the connection ends; nil sends all.
        package var cut: Int?
        /// Whether there is no Content-Length: the body is in chunks, or ends with the connection.
        package var isChunked = false
        package var isUntilClose = false
        /// Whether the connection ends with a reset.
        package var isReset = false

        package init(_ status: Int, _ fields: [ServerResponse.Field] = [], _ body: [UInt8] = [], cut: Int? = nil) {
            (self.status, self.fields, self.body, self.cut) = (status, fields, body, cut)
        }
    }

    private let server: LoopbackServer
    package var url: String { server.url("/file") }
    package func url(_ path: String) -> String { server.url(path) }
    package var requests: [ReceivedRequest] { server.requests }

    /// The script gets the number of the request, counted from 1, and the request.
    package init(_ script: @escaping @Sendable (Int, ReceivedRequest) -> Reply) throws {
        let numbers = Numbers()
        server = try LoopbackServer { connection in
            let request = try connection.readRequest()
            let reply = script(numbers.next(), request)
            try RangeServer.send(reply, connection)
        }
    }

    private final class Numbers: Sendable {
        private let last = Mutex(0)

        func next() -> Int {
            last.withLock { last in
                last += 1
                return last
            }
        }
    }

    package static func send(_ reply: Reply, _ connection: LoopbackServer.Connection) throws {
        var fields = reply.fields + [("Connection", "close")]
        if reply.isChunked { fields.append(("Transfer-Encoding", "chunked")) }
        var head = ServerResponse(status: reply.status, fields: fields, body: reply.body).head
        if reply.isUntilClose {
            head = head.replacingOccurrences(of: "Content-Length: \(reply.body.count)\r\n", with: "")
        }
        var bytes = Array(reply.body.prefix(reply.cut ?? .max))
        if reply.isChunked {
            var chunks: [UInt8] = []
            while !bytes.isEmpty {
                let chunk = bytes.prefix(3000)
                chunks += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
                bytes.removeFirst(chunk.count)
            }
            bytes = chunks + (reply.cut == nil ? Array("0\r\n\r\n".utf8) : [])
        }
        try connection.write(Array(head.utf8) + bytes)
        if reply.isReset {
            // A reset discards bytes that have not arrived.
            connection.waitUntilArrived()
            connection.reset()
        }
    }

    /// A correct reply (RFC 9110 §14.2, §13.1.5) for a representation with a strong validator.
    package static func correct(
        _ request: ReceivedRequest, _ content: [UInt8], tag: String = "\"a\"", cut: Int? = nil
    ) -> Reply {
        let fields: [ServerResponse.Field] = [("ETag", tag)]
        guard let (first, last) = range(of: request), request["If-Range"].map({ $0 == tag }) ?? true else {
            return Reply(200, fields + [("Accept-Ranges", "bytes")], content, cut: cut)
        }
        guard first < content.count else { return Reply(416, [("Content-Range", "bytes */\(content.count)")]) }
        let end = min(last.map { $0 + 1 } ?? content.count, content.count)
        return Reply(
            206, fields + [("Content-Range", "bytes \(first)-\(end - 1)/\(content.count)")],
            Array(content[first..<end]),
            cut: cut)
    }

    /// The single range of a request.
    package static func range(of request: ReceivedRequest) -> (first: Int, last: Int?)? {
        guard let value = request["Range"], value.hasPrefix("bytes=") else { return nil }
        let parts = value.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let first = Int(parts[0]) else { return nil }
        return (first, Int(parts[1]))
    }

    /// Bytes that differ between offsets, and between seeds.
    package static func content(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var state = seed
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }
}
