import Foundation
import PlugboardStore
import PlugboardTesting
import TestSupport
import Testing

/// Servers that do not speak as Redis does.
struct RedisHostileTests {
    /// What a server replies to the commands of one arrival, which may be several; `reply` to MGET.
    private static func replies(to received: String, _ reply: String, message: String = "") -> String {
        let places = [
            ("HELLO", "*4\r\n$2\r\nid\r\n:7\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n"),
            ("SUBSCRIBE", "*3\r\n$9\r\nsubscribe\r\n$20\r\n__redis__:invalidate\r\n:1\r\n" + message),
            ("TRACKING", "+OK\r\n" + String(repeating: "$1\r\nd\r\n", count: 6)), ("PING", "+PONG\r\n"),
            ("MGET", reply),
        ].compactMap { word, text in received.range(of: word).map { ($0.lowerBound, text) } }
        return places.sorted { $0.0 < $1.0 }.map(\.1).joined()
    }

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\n\r\n", "-ERR no\r\n", "\r\n", "+OK\r\n", ":1\r\n", "*0\r\n", "*-1\r\n", "$-1\r\n",
        "",
        "*2\r\n$2\r\nid\r\n$1\r\n7\r\n", "*1\r\n$2\r\nid\r\n", "*3\r\n$2\r\nid\r\n:7\r\n$1\r\nx\r\n",
        "*4\r\n$2\r\nid\r\n:7\r\n$4\r\nmode\r\n$7\r\ncluster\r\n",
        "-ERR unknown command 'HELLO', with '2' 'secret'\r\n",
        "-ERR what is secret?\r\n",
    ])
    func `a server with another greeting is down, and no password is shown`(greeting: String) async throws {
        let server = try FakeServer { _ in greeting }
        let scene = try RedisScene("unix://:secret@\(server.path)", settings: ["silence": "300ms"])

        let failure = await scene.failure(of: .get(["a"]), within: .seconds(20))

        #expect(failure?.kind == .down, "\(failure as Any)")
        #expect(!scene.log.lines.contains { $0.contains("secret") })
        await scene.kernel.shutDown()
    }

    @Test(arguments: [
        "+OK\r\n", ":1\r\n", "$-1\r\n", "*-1\r\n", "*0\r\n", "*2\r\n$1\r\nx\r\n$1\r\ny\r\n", "*1\r\n$1\r\nx\r\n:2\r\n",
        "*2147483647\r\n", "*9223372036854775807\r\n", "*1025\r\n",
        "$9223372036854775807\r\n", "$536870912\r\n", "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n",
        "%1\r\n", "\0\0\0\0", "-\r\n", "$3\r\nabcde\r\n", ":\r\n", String(repeating: "x", count: 4_000_000),
        "*1\r\n$2000000\r\n" + String(repeating: "x", count: 2_000_000) + "\r\n",
        String(repeating: "*1000\r\n", count: 6) + String(repeating: ":1\r\n", count: 2_000_000),
    ])
    func `a reply that cannot be the one to a command is a failure, and never the value of another command`(
        reply: String
    ) async throws {
        let server = try FakeServer { Self.replies(to: $0, reply) }
        let scene = try RedisScene("unix://\(server.path)", settings: ["silence": "300ms"])

        let first = Task { await scene.failure(of: .get(["a"]), within: .seconds(5)) }
        let second = Task { await scene.failure(of: .get(["b"]), within: .seconds(5)) }
        let failures = await [first.value, second.value]

        #expect(failures.compactMap { $0 }.allSatisfy { [.down, .late].contains($0.kind) }, "\(failures)")
        #expect(failures.contains { $0 != nil }, "\(failures)")
        await scene.kernel.shutDown()
    }

    @Test(arguments: [
        "*0\r\n", "*3\r\n$7\r\nmessage\r\n:1\r\n:2\r\n", "*3\r\n$7\r\nmessage\r\n$1\r\nx\r\n*2\r\n$1\r\nx\r\n*0\r\n",
        "-ERR\r\n", ":1\r\n", "*3\r\n$7\r\nmessage\r\n$1\r\nx\r\n*-1\r\n",
    ])
    func `a message that is none does no harm`(message: String) async throws {
        let server = try FakeServer { Self.replies(to: $0, "*1\r\n$2\r\n\u{1}x\r\n", message: message) }
        let scene = try RedisScene("unix://\(server.path)")

        #expect(try await scene.texts("a") == ["x"])
        await scene.kernel.shutDown()
    }
}

/// A server whose replies a test writes: for each text that arrives, one text.
final class FakeServer: Sendable {
    let path: String
    private let folder: TemporaryFolder
    private let listener: Int32

    init(_ respond: @escaping @Sendable (String) -> String) throws {
        folder = try TemporaryFolder("fake")
        path = folder.file("redis.sock")
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { [listener] in
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0 && listen(listener, 16) == 0)
        Thread.detachNewThread { [listener] in
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                Thread.detachNewThread { FakeServer.serve(connection, respond) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func serve(_ connection: Int32, _ respond: (String) -> String) {
        defer { close(connection) }
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(connection, &piece, piece.count), count > 0 {
            var rest = Array(respond(String(decoding: piece[..<count], as: UTF8.self)).utf8)[...]
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                if sent <= 0 { return }
                rest = rest.dropFirst(sent)
            }
        }
    }
}
