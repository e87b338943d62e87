import Plugboard
import TestSupport
import Testing

@testable import PlugboardResume

struct ResumeTests {
    private let content = RangeServer.content(100_000)

    @Test(arguments: Linkage.allCases, [0, 1, 50_000, 99_999])
    func `a body that breaks is continued without its reader noticing`(linkage: Linkage, cut: Int) async throws {
        let server = try RangeServer { [content] number, request in
            RangeServer.correct(request, content, cut: number == 1 ? cut : nil)
        }
        let kernel = try linkage.kernel(resumePlugin())

        let response = try await kernel.send(Request(.get, server.url))
        let body = try await response.body.collect(upTo: .mebibytes(1))

        #expect(response.status == 200 && body.array == content)
        #expect(server.requests.map { $0["Range"] } == [nil, "bytes=\(cut)-"])
        #expect(server.requests.last?["If-Range"] == "\"a\"")
    }

    @Test(arguments: Linkage.allCases)
    func `a body that breaks again and again is continued as long as bytes come`(linkage: Linkage) async throws {
        let server = try RangeServer { [content] _, request in RangeServer.correct(request, content, cut: 9_000) }
        let kernel = try linkage.kernel(resumePlugin())

        let body = try await kernel.send(Request(.get, server.url)).body.collect(upTo: .mebibytes(1))

        #expect(body.array == content)
        #expect(server.requests.count == 12)
    }

    @Test(arguments: Linkage.allCases)
    func `a connection that is reset and chunks without an end are mended`(linkage: Linkage) async throws {
        let server = try RangeServer { [content] number, request in
            var reply = RangeServer.correct(request, content, cut: number < 3 ? 30_000 : nil)
            reply.isReset = number == 2
            reply.isChunked = number == 1
            return reply
        }
        let kernel = try linkage.kernel(resumePlugin())

        let body = try await kernel.send(Request(.get, server.url)).body.collect(upTo: .mebibytes(1))

        #expect(body.array == content)
        // The length is not known, so that the last byte is requested again and compared.
        #expect(server.requests.dropFirst().first?["Range"] == "bytes=29999-")
    }

    @Test(arguments: Linkage.allCases)
    func `a body of unknown length whose rest comes in parts is whole`(linkage: Linkage) async throws {
        let server = try RangeServer { [content] number, request in
            guard let (first, _) = RangeServer.range(of: request) else {
                var reply = RangeServer.correct(request, content, cut: 30_000)
                reply.isChunked = true
                return reply
            }
            let end = min(first + 20_000, content.count)
            return .init(
                206, [("ETag", "\"a\""), ("Content-Range", "bytes \(first)-\(end - 1)/100000")],
                Array(content[first..<end]))
        }
        let kernel = try linkage.kernel(resumePlugin())

        let body = try await kernel.send(Request(.get, server.url)).body.collect(upTo: .mebibytes(1))

        #expect(body.array == content)
    }

    @Test(arguments: Linkage.allCases)
    func `a part that the caller requested is mended up to its end`(linkage: Linkage) async throws {
        let server = try RangeServer { [content] number, request in
            RangeServer.correct(request, content, cut: number == 1 ? 500 : nil)
        }
        let kernel = try linkage.kernel(resumePlugin())

        let response = try await kernel.send(Request(.get, server.url, fields: Fields(["Range": "bytes=1000-1999"])))
        let body = try await response.body.collect(upTo: .mebibytes(1))

        #expect(response.status == 206 && body.array == Array(content[1000..<2000]))
        #expect(server.requests.map { $0["Range"] } == ["bytes=1000-1999", "bytes=1500-1999"])
    }

    @Test(arguments: Linkage.allCases)
    func `a body that has changed meanwhile breaks with a clear error`(linkage: Linkage) async throws {
        let server = try RangeServer { [content] number, request in
            number == 1
                ? RangeServer.correct(request, content, cut: 5_000)
                : RangeServer.correct(request, RangeServer.content(100_000, seed: 9), tag: "\"b\"")
        }
        let kernel = try linkage.kernel(resumePlugin())

        let error = await breakage(try await kernel.send(Request(.get, server.url)))

        #expect(error?.code == .resumeChanged)
        #expect(error?.reason.contains("after 5000 bytes") == true)
    }

    @Test(
        arguments: Linkage.allCases,
        [
            [("ETag", "W/\"a\"")], [],
            [("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Date", "Sun, 06 Nov 1994 08:50:00 GMT")],
            [("ETag", "\"a\""), ("Accept-Ranges", "none")],
        ] as [[ServerResponse.Field]])
    func `a body without a strong validator breaks as it is`(
        linkage: Linkage, fields: [ServerResponse.Field]
    ) async throws {
        let server = try RangeServer { [content] _, _ in .init(200, fields, content, cut: 5_000) }
        let kernel = try linkage.kernel(resumePlugin())

        let error = await breakage(try await kernel.send(Request(.get, server.url)))

        #expect(error?.code == .bodyCut)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: Linkage.allCases)
    func `an old modification date is a strong validator`(linkage: Linkage) async throws {
        let fields: [ServerResponse.Field] = [
            ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Date", "Sun, 06 Nov 1994 09:50:00 GMT"),
        ]
        let server = try RangeServer { [content] number, request in
            guard let (first, _) = RangeServer.range(of: request) else {
                return .init(200, fields, content, cut: 5_000)
            }
            return .init(
                206, fields + [("Content-Range", "bytes \(first)-99999/100000")], Array(content[first...]))
        }
        let kernel = try linkage.kernel(resumePlugin())

        let body = try await kernel.send(Request(.get, server.url)).body.collect(upTo: .mebibytes(1))

        #expect(body.array == content)
        #expect(server.requests.last?["If-Range"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test(arguments: Linkage.allCases)
    func `a server without ranges repeats no more than the limit`(linkage: Linkage) async throws {
        let server = try RangeServer { [content] number, _ in
            .init(200, [("ETag", "\"a\"")], content, cut: number == 1 ? 5_000 : nil)
        }
        let kernel = try linkage.kernel(resumePlugin())
        var request = Request(.get, server.url)

        request.resume.repeatLimit = .bytes(5_000)
        let body = try await kernel.send(request).body.collect(upTo: .mebibytes(1))
        #expect(body.array == content)
    }

    @Test(arguments: Linkage.allCases)
    func `a body is not repeated beyond the limit`(linkage: Linkage) async throws {
        let server = try RangeServer { [content] number, _ in
            .init(200, [("ETag", "\"a\"")], content, cut: number == 1 ? 5_000 : nil)
        }
        let kernel = try linkage.kernel(resumePlugin())
        var request = Request(.get, server.url)
        request.resume.repeatLimit = .bytes(4_999)

        #expect(await breakage(try await kernel.send(request))?.code == .bodyCut)
    }

    @Test(arguments: Linkage.allCases)
    func `the attempts are limited, and 0 mends nothing`(linkage: Linkage) async throws {
        let server = try RangeServer { [content] number, request in
            number == 1 ? RangeServer.correct(request, content, cut: 5_000) : .init(503)
        }
        let kernel = try linkage.kernel(resumePlugin(), settings: ["delay": "1ms"])
        var request = Request(.get, server.url)
        request.resume.attempts = 3

        #expect(await breakage(try await kernel.send(request))?.code == .bodyCut)
        #expect(server.requests.count == 4)
    }

    @Test(arguments: Linkage.allCases)
    func `a token that expires half way is replaced`(linkage: Linkage) async throws {
        let server = try RangeServer { [content] number, request in
            if request["Authorization"] != (number == 1 ? "Bearer 1" : "Bearer 2") { return .init(401) }
            return RangeServer.correct(request, content, cut: number == 1 ? 5_000 : nil)
        }
        // Stands for a plugin that adds what is valid now, as authentication does.
        let tokens = ScriptedPlugin("tokens", priority: 450)
        let asked = Record()
        tokens.onRequest = { exchange in
            asked.add("")
            exchange.request[.authorization] = "Bearer \(asked.lines.count)"
            return .next
        }
        let kernel = try linkage.kernel(resumePlugin(), beside: [tokens])

        let body = try await kernel.send(Request(.get, server.url)).body.collect(upTo: .mebibytes(1))

        #expect(body.array == content)
        #expect(server.requests.map { $0["Authorization"] } == ["Bearer 1", "Bearer 1", "Bearer 2"])
    }

    @Test(arguments: Linkage.allCases)
    func `a reader that leaves while the rest is requested ends it`(linkage: Linkage) async throws {
        let server = try LoopbackServer { [content] connection in
            let request = try connection.readRequest()
            if request["Range"] != nil { return try connection.waitForClose() }
            try connection.write(
                ServerResponse(fields: [("ETag", "\"a\""), ("Content-Length", "100000")], body: Array(content[..<500]))
                    .bytes())
        }
        let kernel = try linkage.kernel(resumePlugin())
        let response = try await kernel.send(Request(.get, server.url()))
        let reading = Task { try await response.body.collect(upTo: .mebibytes(1)) }
        _ = try await server.requests(atLeast: 2)

        reading.cancel()

        await #expect(throws: PlugboardError.self) { try await reading.value }
        try await server.endedConnections(atLeast: 2)
    }

    @Test(arguments: Linkage.allCases, BrokenRanges.all)
    func `whatever a server sends as the rest, the body is right or breaks`(
        linkage: Linkage, ranges: BrokenRanges
    ) async throws {
        let server = try ranges.server()
        let kernel = try linkage.kernel(resumePlugin(), settings: ["delay": "1ms"])

        let body = try? await kernel.send(Request(.get, server.url)).body.collect(upTo: .mebibytes(1))

        if let body { #expect(body.array == BrokenRanges.old) }
        if ranges.isRight { #expect(body != nil) }
    }

    @Test func `a decoded body is mended, whose coded bytes are counted`() async throws {
        let coded = content
        let server = try RangeServer { number, request in
            var reply = RangeServer.correct(request, coded, cut: number == 1 ? 5_000 : nil)
            reply.fields.append(("Content-Encoding", "x-own"))
            return reply
        }
        let kernel = try Kernel(plugins: [.decode, .cache, .retry, .resume])

        let body = try await kernel.send(Request(.get, server.url)).body.collect(upTo: .mebibytes(1))

        #expect(body.array == coded)
        #expect(server.requests.map { $0["Accept-Encoding"] }.allSatisfy { $0 == "gzip, deflate, br, zstd" })
    }

    private func breakage(_ response: @autoclosure () async throws -> Response) async -> PlugboardError? {
        do {
            _ = try await response().body.collect(upTo: .mebibytes(1))
            return nil
        } catch {
            return error as? PlugboardError
        }
    }
}
