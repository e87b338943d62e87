import Foundation
import Plugboard
import Synchronization
import TestSupport
import Testing

struct MultipartFormTests {
    private static func pieces(_ texts: String...) -> AsyncStream<Bytes> {
        AsyncStream { stream in
            for text in texts { stream.yield(Bytes(text)) }
            stream.finish()
        }
    }

    private func server() throws -> LoopbackServer { try LoopbackServer.responding { _ in ServerResponse() } }

    @Test func `the exact bytes are on the wire, with their length`() async throws {
        let folder = try TemporaryFolder()
        let form = MultipartForm(
            [
                .text("title", "Lake é"), .data("raw", Bytes([0, 255])),
                .data("named", Bytes("x"), fileName: "n.bin", type: "application/x"),
                try .file("image", try folder.write("lake.jpg", "JPG")),
                .stream("log", Self.pieces("one ", "two"), length: 7, fileName: "a.log"),
            ], boundary: "XX")
        let server = try server()
        let kernel = try Kernel()

        _ = try await kernel.send(Request(.post, server.url(), multipart: form)).text()

        let request = try #require(try await server.requests(atLeast: 1).first)
        let expected: [UInt8] =
            Array("--XX\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nLake é\r\n".utf8)
            + Array("--XX\r\nContent-Disposition: form-data; name=\"raw\"\r\n\r\n".utf8) + [0, 255]
            + Array(
                """
                \r\n--XX\r\nContent-Disposition: form-data; name="named"; filename="n.bin"\r
                Content-Type: application/x\r\n\r\nx\r
                --XX\r\nContent-Disposition: form-data; name="image"; filename="lake.jpg"\r
                Content-Type: image/jpeg\r\n\r\nJPG\r
                --XX\r\nContent-Disposition: form-data; name="log"; filename="a.log"\r
                Content-Type: text/plain\r\n\r\none two\r
                --XX--\r\n
                """.utf8)
        #expect(request.body == expected)
        #expect(request["Content-Length"] == "\(expected.count)" && request["Transfer-Encoding"] == nil)
        #expect(request["Content-Type"] == "multipart/form-data; boundary=XX")
        await kernel.shutDown()
    }

    @Test func `a large file is streamed, also if it is in two parts`() async throws {
        let folder = try TemporaryFolder()
        let content = [UInt8](repeating: 7, count: 3 << 20)
        let part = try MultipartForm.Part.file("f", try folder.write("big.bin", content))
        let body = try MultipartForm([part, part], boundary: "b").body()
        var largest = 0
        var count = 0

        for try await piece in body {
            largest = max(largest, piece.count)
            count += piece.count
        }

        #expect(largest <= 256 << 10)
        #expect(count == body.length && count > 6 << 20)
    }

    @Test func `the length is unknown if that of a part is, and the body is then chunked`() async throws {
        let form = MultipartForm([.stream("s", Self.pieces("one ", "two"))], boundary: "b")
        let server = try server()
        let kernel = try Kernel()

        _ = try await kernel.send(Request(.post, server.url(), multipart: form)).text()

        let request = try #require(try await server.requests(atLeast: 1).first)
        #expect(request["Transfer-Encoding"] == "chunked" && request["Content-Length"] == nil)
        #expect(request.text.contains("\r\n\r\none two\r\n--b--\r\n"))
        await kernel.shutDown()
    }

    @Test func `a form can be sent again if its parts can`() async throws {
        let folder = try TemporaryFolder()
        let source = PiecesSource(["ab"], canRewind: true)
        let form = MultipartForm([
            .text("a", "1"), try .file("f", try folder.write("f.txt", "file")), .body("s", Body(source)),
        ])

        let body = try form.body()
        let first = try await body.text()
        #expect(body.source.canRewind && body.source.rewind())
        #expect(try await body.text() == first && first.contains("file"))
        #expect(!(try MultipartForm([.stream("s", Self.pieces("x"))]).body().source.canRewind))
    }

    @Test func `a redirect sends the same form again, with its file`() async throws {
        let folder = try TemporaryFolder()
        let form = MultipartForm([.text("a", "1"), try .file("f", try folder.write("f.txt", "file"))])
        let server = try LoopbackServer.responding { request in
            request.path == "/old" ? ServerResponse(status: 307, fields: [("Location", "/new")]) : ServerResponse()
        }
        let kernel = try Kernel(configuration: Configuration(plugins: ["redirect"]))

        _ = try await kernel.send(Request(.post, server.url("/old"), multipart: form)).requireStatus().text()

        let requests = try await server.requests(atLeast: 2)
        #expect(requests.map(\.path) == ["/old", "/new"] && requests[0].body == requests[1].body)
        #expect(requests[1].text.contains("\r\n\r\nfile\r\n"))
        await kernel.shutDown()
    }

    @Test func `names are escaped as the HTML standard says`() async throws {
        let form = MultipartForm(
            [.text("a\"b\nc\rd\r\ne", "v\n"), .data("ü;=", Bytes("x"), fileName: "q\"\r\n名.txt")], boundary: "b")

        let text = try await form.body().text()

        #expect(text.contains("name=\"a%22b%0D%0Ac%0D%0Ad%0D%0Ae\"\r\n\r\nv\n\r\n"))
        #expect(text.contains("name=\"ü;=\"; filename=\"q%22%0D%0A名.txt\"\r\n"))
    }

    @Test(arguments: ["text/x\r\nX: y", "text", "", "text/x; a=\u{0}", "té/x"])
    func `a content type that would break the part is refused`(type: String) throws {
        let form = MultipartForm([.data("part", Bytes("x"), type: type)])

        let error = #expect(throws: PlugboardError.self) { try Request(.post, "u", multipart: form) }

        #expect(error?.code == .requestParameter && error?.reason.contains("part") == true)
    }

    @Test func `boundaries are random, and quoted where they must be`() {
        #expect(MultipartForm().boundary != MultipartForm().boundary && MultipartForm().boundary.utf8.count <= 70)
        #expect(MultipartForm(boundary: "a b:c").contentType == "multipart/form-data; boundary=\"a b:c\"")
    }

    @Test func `a boundary that no standard allows is a mistake of the program`() async {
        await #expect(processExitsWith: .failure) { _ = MultipartForm(boundary: "a\r\n") }
    }

    @Test(arguments: [("12345", "longer"), ("123", "ended after 3")])
    func `a stream that is longer or shorter than it announced breaks the body`(text: String, why: String) async throws
    {
        let form = MultipartForm([.stream("s", Self.pieces(text), length: 4), .text("t", "after")])

        let error = await #expect(throws: PlugboardError.self) { _ = try await form.body().text() }

        #expect(error?.code == .bodyRead && error?.reason.hasPrefix("The part s of the form ") == true)
        #expect(error?.reason.contains(why) == true)
    }

    @Test func `a file that is missing is an error before anything is sent`() throws {
        let error = #expect(throws: PlugboardError.self) { try MultipartForm.Part.file("f", "/no/such.txt") }
        #expect(error?.code == .bodyRead && error?.reason.contains("/no/such.txt") == true)
    }

    @Test func `a file that is removed or replaced while it is sent is sent as it was opened`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("f.txt", "old")
        let form = MultipartForm([try .file("f", path)])

        try FileManager.default.removeItem(atPath: path)
        try folder.write("f.txt", "new and longer")

        #expect(try await form.body().text().contains("\r\n\r\nold\r\n"))
    }

    /// The server waits for the rest of the body in vain: it never gets a whole form.
    @Test(arguments: [("longer", 600_001), ("shorter", 10)])
    func `a file that grows or shrinks while it is sent ends the request, and no server takes it for whole`(
        how: String, size: Int
    ) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("f.bin", [UInt8](repeating: 1, count: 600_000))
        let source = try MultipartForm([.file("f", path), .text("t", "after")], boundary: "b").body().source
        let isChanged = Mutex(false)
        let watched = WatchedSource(source) { count in
            guard count > 1000, !isChanged.withLock({ wasChanged in (wasChanged, wasChanged = true).0 }) else { return }
            truncate(path, size)
        }
        let server = try LoopbackServer { connection in _ = try connection.readRequest() }
        let kernel = try Kernel()

        var request = Request(.post, server.url())
        request.setBody(Body(watched), type: "multipart/form-data; boundary=b")
        let sent = request
        let error = await #expect(throws: PlugboardError.self) { _ = try await kernel.send(sent) }

        #expect(error?.code == .bodyRead)
        #expect(error?.reason == "The body's file \(path) became \(how) while it was sent. Send a copy of it.")
        try await server.endedConnections(atLeast: 1)
        #expect(server.requests.allSatisfy { $0.body.isEmpty } && server.failures.count == 1)
        await kernel.shutDown()
    }
}

/// Tells how many bytes each piece has.
private final class WatchedSource: BodySource, PullReceiver {
    private let source: any BodySource
    private let watch: @Sendable (Int) -> Void
    private let pull = Mutex<Pull?>(nil)

    init(_ source: any BodySource, _ watch: @escaping @Sendable (Int) -> Void) {
        self.source = source
        self.watch = watch
    }

    var length: Int? { source.length }
    func pull(_ pull: Pull) {
        self.pull.withLock { $0 = pull }
        source.pull(Pull(self))
    }
    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        if case .bytes(let bytes) = piece { watch(bytes.count) }
        return pull.withLock { $0.take() }?.complete(piece) ?? false
    }
    func release() { source.release() }
}
