import Foundation
import TestSupport
import Testing

/// What is sent for the options of a request.
struct RequestTests {
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer.responding { _ in ServerResponse(body: "ok") } }

    /// Runs a verb against the server and returns what it sent.
    private func sent(_ verb: [String], _ options: [String] = [], input: String = "") async throws -> ReceivedRequest {
        let outcome = try await ProcessRunner.running(
            [try Products.executable("plugboard")] + verb + [server.url("/path?q=1")] + options,
            input: Array(input.utf8))
        #expect(outcome.status == 0, "\(outcome.stderr)")
        return try #require(server.requests.last)
    }

    @Test(arguments: ["get", "head", "post", "put", "patch", "delete"])
    func `each verb sends its method`(verb: String) async throws {
        let request = try await sent([verb])

        #expect(request.method == verb.uppercased())
        #expect(request.target == "/path?q=1")
    }

    @Test func `request sends the method as it is written`() async throws {
        #expect(try await sent(["request", "PropFind"]).method == "PropFind")
    }

    @Test func `without options a request has User-Agent and Accept`() async throws {
        let request = try await sent(["get"])

        #expect(request["User-Agent"]?.hasPrefix("plugboard/") == true)
        #expect(request["Accept"] == "*/*")
        #expect(request["Content-Type"] == nil)
    }

    @Test func `header fields are added, replaced, removed and emptied`() async throws {
        let request = try await sent(
            ["get"], ["-H", "X-A: 1", "-H", "X-A:2", "-H", "Accept:", "-H", "User-Agent: me", "--header", "X-Empty;"])

        #expect(request.values("X-A") == ["1", "2"])
        #expect(request["Accept"] == nil)
        #expect(request["User-Agent"] == "me")
        #expect(request["X-Empty"] == "")
    }

    @Test func `form data is joined by ampersands, files without their line ends`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("data", "c=3\r\n4\n")

        let request = try await sent(["post"], ["-d", "a=1", "-d", "b=%202", "-d", "@\(file)", "-d", "-5"])

        #expect(request.text == "a=1&b=%202&c=34&-5")
        #expect(request["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(request["Content-Length"] == "18")
    }

    @Test func `binary data of a file is sent unchanged, with its length`() async throws {
        let folder = try TemporaryFolder()
        let bytes: [UInt8] = [0, 13, 10, 255]
        let file = try folder.write("data", bytes)

        let request = try await sent(["put"], ["--data-binary", "@\(file)"])

        #expect(request.body == bytes)
        #expect(request["Content-Length"] == "4")
        #expect(request["Content-Type"] == "application/x-www-form-urlencoded")
    }

    @Test(arguments: [
        ["--data-binary", "-"], ["--data-binary", "@-"], ["-d", "@-"], ["-d", "-"], ["--json", "@-"],
    ])
    func `a dash is standard input`(option: [String]) async throws {
        #expect(try await sent(["post"], option, input: "[1, 2]").text == "[1, 2]")
    }

    @Test(arguments: [
        (["--json", "[1,", "--json", "2]"], "[1,2]"), (["--data-binary", "a", "--data-binary", "b\n"], "a&b\n"),
        (["-d", "a=1", "--data-binary", "@-", "--data-raw", "@c"], "a=1&b\n&@c"),
    ])
    func `an option for the body that is given twice is joined as curl joins it`(
        options: [String], body: String
    ) async throws {
        #expect(try await sent(["post"], options, input: "b\n").text == body)
    }

    @Test(arguments: [["-d", "@/dev/zero"], ["--json", "1", "--json", "@/dev/zero"]])
    func `a body in memory has a limit`(options: [String]) async throws {
        let outcome = try await ProcessRunner.running(
            [try Products.executable("plugboard"), "post", server.url()] + options)

        #expect(outcome.status == 26)
        #expect(outcome.stderr.contains("/dev/zero is larger than 256 MiB"), "\(outcome.stderr)")
        #expect(server.requests.isEmpty)
    }

    @Test func `a named pipe is sent with its length`() async throws {
        let folder = try TemporaryFolder()
        let pipe = folder.file("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        let writer = Process()
        writer.executableURL = URL(fileURLWithPath: "/bin/sh")
        writer.arguments = ["-c", "head -c 1000000 /dev/zero >\"$0\"", pipe]
        try writer.run()

        let request = try await sent(["put"], ["--data-binary", "@\(pipe)"])

        #expect(request["Content-Length"] == "1000000")
        #expect(request.body.count == 1_000_000)
    }

    @Test(arguments: [
        ["--data-binary", "-"], ["--data-binary", "@-"], ["-d", "@-"], ["--json", "@-"], ["-F", "a=<-"],
    ])
    func `standard input is sent with its length`(option: [String]) async throws {
        let text = String(repeating: "0123456789", count: 100_000)

        let request = try await sent(["put"], option, input: text)

        #expect(request["Transfer-Encoding"] == nil && request["Content-Length"] == "\(request.body.count)")
        #expect(request.body.count >= 1_000_000 && request.text.contains(text))
    }

    @Test(arguments: [["--data-binary", "@-"], ["-T", "-"]])
    func `a standard input that is too large for memory, or that of -T, is sent in chunks while it is read`(
        option: [String]
    ) async throws {
        let outcome = try await Command.shell(
            #"head -c "$count" /dev/zero | "$plugboard" put "$url" "$option" "$value""#,
            [
                "count": option[0] == "-T" ? "100" : "68000000", "url": server.url(), "option": option[0],
                "value": option[1],
            ])

        let request = try #require(server.requests.first, "\(outcome.stderr)")
        #expect(request["Transfer-Encoding"] == "chunked")
        #expect(request.body.count == (option[0] == "-T" ? 100 : 68_000_000))
    }

    @Test func `JSON is sent with its type, and asks for a JSON response`() async throws {
        let request = try await sent(["post"], ["--json", #"{"a": 1}"#])

        #expect(request.text == #"{"a": 1}"#)
        #expect(request["Content-Type"] == "application/json")
        #expect(request["Accept"] == "application/json")
    }

    @Test func `a Content-Type of the caller is kept`() async throws {
        let request = try await sent(["post"], ["--json", "1", "-H", "content-type: application/vnd.a+json"])

        #expect(request.values("Content-Type") == ["application/vnd.a+json"])
    }

    @Test func `forms are multipart, with files and their names`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("a\"b.txt", "content")

        let request = try await sent(["post"], ["--form", "title=Lake = blue", "-F", "image=@\(file)"])

        let type = try #require(request["Content-Type"])
        let boundary = try #require(type.wholeMatch(of: /multipart\/form-data; boundary=(.+)/)).1
        #expect(
            request.text == """
                --\(boundary)\r
                Content-Disposition: form-data; name="title"\r
                \r
                Lake = blue\r
                --\(boundary)\r
                Content-Disposition: form-data; name="image"; filename="a%22b.txt"\r
                Content-Type: text/plain\r
                \r
                content\r
                --\(boundary)--\r\n
                """)
        #expect(request["Content-Length"] == "\(request.body.count)")
    }

    @Test func `a URL without a scheme is one of http`() async throws {
        let outcome = try await Command.run("get", "127.0.0.1:\(server.port)/a?b=http://c")

        #expect(outcome.stdout == "ok")
        #expect(server.requests.last?.target == "/a?b=http://c")
    }

    @Test func `a form's parts have types`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("lake.png", "content")

        let request = try await sent(
            ["post"],
            ["-F", "image=@\(file);filename=b.png", "-F", "text=<\(file);type=text/x", "--form-string", "a=@b;type=c"])

        #expect(
            request.text.contains(
                "name=\"image\"; filename=\"b.png\"\r\nContent-Type: image/png\r\n\r\ncontent\r\n"))
        #expect(request.text.contains("name=\"text\"\r\nContent-Type: text/x\r\n\r\ncontent\r\n"))
        #expect(request.text.contains("name=\"a\"\r\n\r\n@b;type=c\r\n"))
    }

    @Test func `connect-to changes the connection, but not the request`() async throws {
        let outcome = try await Command.run(
            "get", "http://good.test:81/", "--connect-to", "good.test:81:127.0.0.1:\(server.port)")

        #expect(outcome.stdout == "ok")
        #expect(server.requests.last?["Host"] == "good.test:81")
    }

    @Test func `a proxy gets the whole URL`() async throws {
        let outcome = try await Command.run("get", "http://good.test/a", "--proxy", server.url())

        #expect(outcome.stdout == "ok")
        #expect(server.requests.last?.target == "http://good.test/a")
    }

    @Test func `a plugin's attributes and settings reach it`() async throws {
        let server = try LoopbackServer.responding { request in
            request.path == "/end"
                ? ServerResponse(body: "arrived") : ServerResponse(status: 302, fields: [("Location", "/end")])
        }
        let plugin = try Products.library("plugboard-redirect")

        let followed = try await Command.run("get", server.url(), "--plugin", plugin)
        let kept = try await Command.run(
            "get", server.url(), "--plugin", plugin, "--attribute", "redirect.follow=false", "-i")
        let refused = try await Command.run("get", server.url(), "--plugin", plugin, "--set", "redirect.limit=0")

        #expect(followed.stdout == "arrived")
        #expect(kept.stdout.hasPrefix("HTTP/1.1 302 "))
        #expect(refused.status == 47)
    }
}
