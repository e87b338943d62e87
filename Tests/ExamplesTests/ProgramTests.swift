import PlugboardJSON
import TestSupport
import Testing

struct ProgramTests {
    @Test func `the smallest program gets a URL through the core alone`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "hello") }
        let program = try Products.executable("plugboard-core")

        let outcome = try await ProcessRunner.running([program, server.url("/page")])

        #expect(outcome.status == 0)
        #expect(outcome.stdout == "200, 5 bytes from \(server.url("/page"))\n")
    }

    @Test func `the smallest program says what went wrong`() async throws {
        let closed = try ClosedPort()
        let program = try Products.executable("plugboard-core")

        let outcome = try await ProcessRunner.running([program, "http://127.0.0.1:\(closed.port)/"])

        #expect(outcome.status == 1)
        #expect(outcome.stdout.hasPrefix("transport.connect: "))
    }

    @Test func `the first program runs what its configuration switches on`() async throws {
        let server = try LoopbackServer.responding { request in
            if request.path == "/old" { return ServerResponse(status: 302, fields: [("Location", "/new")]) }
            return ServerResponse(body: request.path)
        }
        let folder = try TemporaryFolder()
        try folder.write("plugboard.json", #"{ "plugins": ["redirect"] }"#)

        let outcome = try await ProcessRunner.running(
            [try Products.executable("ExampleProgram"), server.url("/old")], folder: folder.path)

        #expect(outcome.status == 0)
        #expect(outcome.stdout == "200 /new\n")
    }

    @Test func `the slim program runs its three plugins`() async throws {
        let server = try LoopbackServer.responding { request in
            if request.path == "/old" { return ServerResponse(status: 302, fields: [("Location", "/new")]) }
            return ServerResponse(body: request.path)
        }
        defer { server.stop() }

        let outcome = try await ProcessRunner.running([try Products.executable("ExampleSlim"), server.url("/old")])

        #expect(outcome.stdout == "200 /new\n")
        #expect(outcome.stderr.contains("(2 attempts)"))
    }

    @Test func `the package of the first program has that program as its target`() async throws {
        let folder = try TemporaryFolder()

        let dump = try await Repository.output(of: [
            "swift", "package", "--package-path", "Examples/Program", "--scratch-path", folder.path, "dump-package",
        ])

        let targets = try JSONParser.parse(dump)["targets"]?.arrayValue
        #expect(targets?.map { $0["name"]?.stringValue } == ["Program"])
    }

    @Test func `a request has options for the transport and attributes for plugins`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "[1, 2]\n") }

        let outcome = try await ProcessRunner.running([try Products.executable("ExampleFeed"), server.url()])

        #expect(outcome.stdout == "status 200 from \(server.url())\n[1, 2]\n")
        #expect(server.requests.first?["Accept"] == "application/json")
    }

    @Test func `tasks on the executors of two loops send over both`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "hello") }

        let outcome = try await ProcessRunner.running([try Products.executable("ExampleLoops"), server.url()])

        #expect(outcome.stdout == "100 bytes over 2 loops\n", "\(outcome.stderr)")
        #expect(server.requests.count == 20)
    }

    @Test func `one program queues ten thousand requests without a network, and another delivers them`() async throws {
        let folder = try TemporaryFolder()
        let closed = try ClosedPort()
        let file = folder.file("queue.sqlite")
        // With a sanitizer it would take minutes.
        let count = Sanitizer.present == nil ? 10_000 : 1_000

        let queueing = try await ProcessRunner.running([
            try Products.executable("ExampleQueueing"), closed.url("/entries"), file, "\(count)",
        ])
        let server = try LoopbackServer(opening: closed, .responding { _ in ServerResponse(status: 201) })
        let delivering = try await ProcessRunner.running([try Products.executable("ExampleDelivering"), file])

        #expect(queueing.stdout == "queued: \(count)\n", "\(queueing.stderr)")
        #expect(delivering.stdout == "delivered: \(count), left: 0\n", "\(delivering.stderr)")
        #expect(server.requests.count == count)
        #expect(Set(server.requests.map(\.text)) == Set((0..<count).map { "entry \($0)" }))
        #expect(Set(server.requests.map { $0["Idempotency-Key"] }).count == count)
    }

    @Test func `values are sent and received as JSON, parameters, forms, lines and events`() async throws {
        let server = try LoopbackServer.responding { request in
            switch request.path {
            case "/topics": ServerResponse(fields: [("Content-Type", "application/json")], body: request.body)
            case "/search": ServerResponse(body: "one\ntwo \(request.target)")
            case "/photos": ServerResponse(body: [UInt8](repeating: 1, count: request.body.count))
            case "/events" where request["Last-Event-ID"] == nil:
                ServerResponse(
                    fields: [("Content-Type", "text/event-stream")],
                    body: "retry: 1\n\nevent: added\nid: 7\ndata: Lake\n\n")
            default: ServerResponse(status: 204)
            }
        }
        let folder = try TemporaryFolder()
        let photo = try folder.write("lake.jpg", "JPG")

        let outcome = try await ProcessRunner.running([try Products.executable("ExampleBodies"), server.url(""), photo])

        let sent = try #require(server.requests.first { $0.path == "/photos" })
        #expect(
            outcome.stdout == """
                created Lake
                found one
                found two /search?text=%E6%B9%96&tags%5B%5D=blue
                wrote \(sent.body.count) bytes
                added 7: Lake

                """)
        #expect(sent.text.contains("filename=\"lake.jpg\"\r\nContent-Type: image/jpeg\r\n\r\nJPG\r\n"))
        #expect(try folder.read("lake.jpg.small").count == sent.body.count)
        #expect(server.requests.last?["Last-Event-ID"] == "7")
    }

    @Test func `a file is downloaded and uploaded, and both continue where an earlier run has stopped`() async throws {
        let content = RangeServer.content(100_000)
        let source = try RangeServer { number, request in
            RangeServer.correct(request, content, cut: number == 1 ? 50_000 : nil)
        }
        var plan = UploadServer.Plan(.draft)
        plan.cuts = [40_000]
        let target = try UploadServer(plan)
        let folder = try TemporaryFolder()

        let outcome = try await ProcessRunner.running([
            try Products.executable("ExampleTransfers"), source.url, folder.file("image.iso"), target.url(),
        ])

        #expect(outcome.stdout.contains("downloaded 100000 bytes"), "\(outcome.stdout)\(outcome.stderr)")
        #expect(outcome.stdout.contains("uploading 100000 of 100000"))
        #expect(try folder.read("image.iso") == content)
        #expect(target.contents == [content])
        #expect(try folder.entries() == ["image.iso"])
    }

    @Test func `a program gives its kernel settings, instances and closures in code`() async throws {
        let server = try LoopbackServer.responding { request in
            request.path == "/old"
                ? ServerResponse(status: 302, fields: [("Location", "/new")]) : ServerResponse(body: "hello")
        }

        let outcome = try await ProcessRunner.running([try Products.executable("ExampleInCode"), server.url("/old")])

        #expect(
            outcome.stdout == """
                200 hello
                300 com.example.language program.plugins[4]
                300 com.example.stamp program.plugins[3]
                400 redirect program.plugins[0]
                800 retry program.plugins[1]
                900 com.example.sign program.plugins[2]

                """)
        // Outside redirect once an exchange, inside it at every attempt.
        #expect(server.requests.map { $0["x-number"] } == ["1", "1"])
        #expect(server.requests.map { $0["accept-language"] } == ["en", "en"])
        #expect(
            server.requests.map { $0["x-signature"] } == ["/old", "/new"].map { "k1:\(server.url($0).utf8.count)" })
    }

    @Test func `a slim program links the plugins that it names, and gives them settings`() async throws {
        let server = try LoopbackServer.responding { request in
            request.path == "/old"
                ? ServerResponse(status: 302, fields: [("Location", "/new")]) : ServerResponse(body: request.path)
        }

        let outcome = try await ProcessRunner.running([try Products.executable("ExampleSlim"), server.url("/old")])

        #expect(outcome.stdout == "200 /new\n")
    }

    @Test func `an error names its code and the plugin that failed the exchange`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(status: 302, fields: [("Location", "/")]) }

        let outcome = try await ProcessRunner.running([try Products.executable("ExampleFeed"), server.url()])

        #expect(outcome.stdout.hasPrefix("failed: redirect.limit: "))
        #expect(outcome.stdout.hasSuffix("[plugin redirect]\n"))
        #expect(server.requests.count == 4)
    }
}
