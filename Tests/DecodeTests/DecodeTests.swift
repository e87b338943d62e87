import Plugboard
import PlugboardDecodeOptions
import TestSupport
import Testing

@testable import PlugboardDecode

struct DecodeTests {
    private let bytes = Sample.text(50_000)

    @Test(arguments: Linkage.allCases, ContentCoding.allCases)
    func `a compressed response arrives decoded`(linkage: Linkage, coding: ContentCoding) async throws {
        let server = try serving(coding)
        let kernel = try linkage.kernel(decodePlugin())

        let response = try await kernel.send(Request(.get, server.url()))

        #expect(response["Content-Encoding"] == nil && response["Content-Length"] == nil)
        #expect(response["ETag"] == "\"1\"")
        #expect(try await response.body.collect(upTo: .mebibytes(1)).array == bytes)
        #expect(server.requests.first?["Accept-Encoding"] == "gzip, deflate, br, zstd")
    }

    @Test(arguments: Linkage.allCases)
    func `too many codings are an error of the response, and no fault of the plugin`(linkage: Linkage) async throws {
        let codings = Array(repeating: "gzip", count: 6).joined(separator: ", ")
        let transport = MockTransport { _, _ in .respond(200, ["Content-Encoding": codings], ["abc"]) }
        let log = Record()
        let kernel = try linkage.kernel(
            decodePlugin(), transport,
            log: KernelLog(level: .warning) { _, _, text in log.add(text) })

        let error = await #expect(throws: PlugboardError.self) {
            try await kernel.send(Request(.get, "http://a.test/"))
        }

        #expect(error?.code == .bodyDecode && log.lines == [])
        await kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a program that sets Accept-Encoding gets the coded body`(linkage: Linkage) async throws {
        let server = try serving(.gzip)
        let kernel = try linkage.kernel(decodePlugin())

        let response = try await kernel.send(
            Request(.get, server.url(), fields: Fields(["Accept-Encoding": "gzip"])))

        #expect(response["Content-Encoding"] == "gzip")
        #expect(try await response.body.collect(upTo: .mebibytes(1)).array == Encoder.encode(bytes, .gzip))
        #expect(server.requests.first?.values("Accept-Encoding") == ["gzip"])
    }

    @Test(arguments: Linkage.allCases)
    func `a program that sets Accept-Encoding and always gets the decoded body`(
        linkage: Linkage
    ) async throws {
        let server = try serving(.gzip)
        let kernel = try linkage.kernel(decodePlugin())
        var request = Request(.get, server.url(), fields: Fields(["Accept-Encoding": "gzip"]))
        request.decode.always = true

        let response = try await kernel.send(request)

        #expect(try await response.body.collect(upTo: .mebibytes(1)).array == bytes)
    }

    @Test(arguments: Linkage.allCases)
    func `a request that disables the plugin has no Accept-Encoding`(linkage: Linkage) async throws {
        let server = try serving(.gzip)
        let kernel = try linkage.kernel(decodePlugin())
        var request = Request(.get, server.url())
        request.attributes["decode.enabled"] = "false"

        let response = try await kernel.send(request)

        #expect(response["Content-Encoding"] == "gzip")
        #expect(server.requests.first?["Accept-Encoding"] == nil)
    }

    @Test(arguments: Linkage.allCases, [("GET", "bytes=0-9"), ("HEAD", nil)] as [(String, String?)])
    func `requests with ranges and HEAD are not changed, and their responses not decoded`(
        linkage: Linkage, request: (method: String, range: String?)
    ) async throws {
        let transport = MockTransport { request, _ in
            let isHead = request.method == .head
            return .respond(isHead ? 200 : 206, Fields(["Content-Encoding": "gzip"]), isHead ? nil : ["raw"])
        }
        let kernel = try linkage.kernel(decodePlugin(), transport)
        var fields = Fields()
        fields[.range] = request.range

        let response = try await kernel.send(Request(Method(request.method), "http://a.test/", fields: fields))

        #expect(response["Content-Encoding"] == "gzip")
        #expect(transport.requests.first?.fields[.acceptEncoding] == nil)
    }

    @Test(arguments: Linkage.allCases, ["compress", "gzip, unheard-of"])
    func `a body with an unknown coding is not changed`(linkage: Linkage, coding: String) async throws {
        let transport = MockTransport { _, _ in
            .respond(200, Fields(["Content-Encoding": coding, "Content-Length": "3"]), ["raw"])
        }
        let kernel = try linkage.kernel(decodePlugin(), transport)

        let response = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(response["Content-Encoding"] == coding && response["Content-Length"] == "3")
        #expect(try await response.body.text() == "raw")
    }

    @Test(arguments: Linkage.allCases)
    func `plugins further in see the coded body`(linkage: Linkage) async throws {
        let coded = Encoder.encode(bytes, .gzip)
        let seen = Record()
        let inside = ScriptedPlugin("inside", priority: 600)
        inside.onResponse = { exchange in
            guard exchange.visit == .held else { return .hold(upTo: .mebibytes(1)) }
            let isCoded = exchange.withHeldBody { $0.elementsEqual(coded) }
            seen.add("\(isCoded) \(exchange.response?[.contentEncoding] ?? "")")
            return .next
        }
        let transport = MockTransport { _, _ in
            .source(200, Fields(["Content-Encoding": "gzip"]), PiecesSource([Bytes(coded)]))
        }
        let kernel = try linkage.kernel(decodePlugin(), transport, beside: [inside])

        let body = try await kernel.send(Request(.get, "http://a.test/")).body.collect(upTo: .mebibytes(1))

        #expect(seen.lines == ["true gzip"])
        #expect(body.array == bytes)
    }

    @Test(arguments: Linkage.allCases)
    func `a body that decodes to more than the request's limit breaks`(linkage: Linkage) async throws {
        let server = try serving(.br)
        let kernel = try linkage.kernel(decodePlugin())
        var request = Request(.get, server.url())
        request.decode.limit = .kibibytes(16)

        let error = try await breaking(try await kernel.send(request))

        #expect(error.code == .bodyDecode && error.plugin == "decode")
        #expect(error.reason.contains("16KiB"))
    }

    @Test(arguments: Linkage.allCases)
    func `a body that grows beyond the setting ratio breaks`(linkage: Linkage) async throws {
        let bomb = Encoder.encode([UInt8](repeating: 0, count: 16 << 20), .zstd)
        let transport = MockTransport { _, _ in
            .source(200, Fields(["Content-Encoding": "zstd"]), PiecesSource([Bytes(bomb)]))
        }
        let kernel = try linkage.kernel(decodePlugin(), transport, settings: ["ratio": 20])

        let error = try await breaking(try await kernel.send(Request(.get, "http://a.test/")))

        #expect(error.code == .bodyDecode && error.reason.contains("20 times"))
    }

    @Test(arguments: Linkage.allCases)
    func `other exchanges of the loop go on while a body that holds almost no content is decoded`(
        linkage: Linkage
    ) async throws {
        // The name of a member (RFC 1952 §2.3) does not compress, so that much of what follows is allowed.
        var member = Encoder.encode([], .gzip)
        let empty = member
        member[3] = 8
        member.insert(contentsOf: Sample.noise(380_000).map { $0 | 1 } + [0], at: 10)
        let body = Encoder.encode(member + Array(repeating: empty, count: 500_000).flatMap { $0 }, .gzip)
        let transport = MockTransport { request, _ in
            guard request.url.hasSuffix("/hollow") else { return .respond(200, Fields(), ["ok"]) }
            return .source(200, Fields(["Content-Encoding": "gzip, gzip"]), PiecesSource([Bytes(body)]))
        }
        let kernel = try linkage.kernel(decodePlugin(), transport)
        let order = Record()
        func begin(_ path: String) -> ExchangeHandle {
            kernel.begin(Request(.get, "http://a.test/\(path)")) { event in
                if event.kernelEvent == .completed { order.add(path) }
            }
        }

        let hollow = begin("hollow")
        let others = (0..<8).map { begin("other\($0)") }
        for other in others { #expect(try await other.response.body.text() == "ok") }
        let error = try await breaking(try await hollow.response)

        #expect(error.code == .bodyDecode)
        #expect(order.lines.last == "hollow" && order.lines.count == 9)
    }

    @Test(arguments: Linkage.allCases)
    func `a cut body breaks with body.cut, and not with body.decode`(linkage: Linkage) async throws {
        let coded = Encoder.encode(bytes, .gzip)
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n"
            try connection.write(Array(head.utf8) + coded.prefix(coded.count / 2))
        }
        let kernel = try linkage.kernel(decodePlugin())

        let error = try await breaking(try await kernel.send(Request(.get, server.url())))

        #expect(error.code == .bodyCut)
    }

    @Test(arguments: Linkage.allCases)
    func `a reader that stops in the middle ends the exchange`(linkage: Linkage) async throws {
        let closed = Record()
        let inside = ScriptedPlugin("inside", priority: 600)
        let gate = Gate()
        inside.onClose = { _, outcome in
            closed.add("\(outcome)")
            gate.admit()
        }
        let coded = Encoder.encode(Sample.noise(4 << 20), .gzip)
        let transport = MockTransport { _, _ in
            let pieces = stride(from: 0, to: coded.count, by: 65536).map {
                Bytes(Array(coded[$0..<min($0 + 65536, coded.count)]))
            }
            return .source(200, Fields(["Content-Encoding": "gzip"]), PiecesSource(pieces))
        }
        let kernel = try linkage.kernel(decodePlugin(), transport, beside: [inside])

        do {
            var iterator = try await kernel.send(Request(.get, "http://a.test/")).body.makeAsyncIterator()
            #expect(try await iterator.next() != nil)
        }
        try await gate.opened(for: 1)

        #expect(closed.lines == ["cancelled"])
    }

    @Test(arguments: Linkage.allCases)
    func `the setting codings chooses Accept-Encoding`(linkage: Linkage) async throws {
        let transport = MockTransport()
        let kernel = try linkage.kernel(
            decodePlugin(), transport, settings: ["codings": ["br", "gzip"]])

        _ = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(transport.requests.first?.fields[.acceptEncoding] == "br, gzip")
    }

    @Test(arguments: Linkage.allCases)
    func `an unknown coding in the settings is refused at the start`(linkage: Linkage) throws {
        let error = #expect(throws: PlugboardError.self) {
            try linkage.kernel(
                decodePlugin(), MockTransport(), settings: ["codings": ["lzma"]])
        }

        #expect(error?.reason.contains("lzma") == true)
    }

    private func serving(_ coding: ContentCoding) throws -> LoopbackServer {
        let body = Encoder.encode(bytes, coding)
        return try LoopbackServer.responding { _ in
            ServerResponse(fields: [("Content-Encoding", coding.rawValue), ("ETag", "\"1\"")], body: body)
        }
    }

    private func breaking(_ response: Response) async throws -> PlugboardError {
        do throws(PlugboardError) {
            _ = try await response.body.collect(upTo: .mebibytes(64))
        } catch {
            return error
        }
        throw PlugboardError("test", "The body did not break.")
    }
}
