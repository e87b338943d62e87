import Foundation
import TestSupport
import Testing

/// What `plugboard curl` does with files that exist.
struct CurlFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func text(_ name: String) throws -> String { String(decoding: try folder.read(name), as: UTF8.self) }

    @Test(arguments: [304, 200])
    func `a file stays as it is where the server has nothing newer`(status: Int) async throws {
        let fields = [("Last-Modified", "Mon, 01 Jan 2001 00:00:00 GMT")]
        let server = try LoopbackServer.responding { _ in
            ServerResponse(status: status, fields: fields, body: status == 304 ? "" : "old")
        }
        let file = try folder.write("page.html", "precious")

        let outcome = try await Command.run("curl", "-s", "-z", file, "-o", file, server.url("/"))

        #expect(outcome.status == 0 && server.requests.first?["If-Modified-Since"] != nil, "\(outcome.stderr)")
        #expect(try text("page.html") == "precious")
    }

    @Test func `a file that does not exist is not made for a response with nothing new`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(status: 304) }
        try folder.write("tag", #""one""#)

        let outcome = try await Command.run(
            "curl", "-s", "--etag-compare", folder.file("tag"), "-o", folder.file("new"), server.url("/"))

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(try folder.entries() == ["tag"])
    }

    @Test func `a continued file that is repeated has each byte once`() async throws {
        let count = Locked(0)
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            let head = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 4-15/16\r\nContent-Length: 12\r\n\r\n"
            try connection.write(head + (isFirst ? "456789" : "456789ABCDEF"))
        }
        let file = try folder.write("part", "0123")

        let outcome = try await Command.run(
            "curl", "-s", "-C", "-", "--retry", "2", "--retry-all-errors", "--retry-delay", "1", "-o", file,
            server.url("/"))

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(try text("part") == "0123456789ABCDEF")
    }

    @Test(arguments: [["--create-file-mode", "999"], ["--create-file-mode", "1777"], ["--max-filesize", "3x"]])
    func `a mode or a size that cannot be read is an error before anything is sent`(options: [String]) async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "new") }

        let outcome = try await Command.running(
            ["curl", "-s", "-S"] + options + ["-o", folder.file("new"), server.url("/")])

        #expect(outcome.status == 2 && outcome.stderr.contains("\(options[0]) must be"), "\(outcome.stderr)")
        #expect(try server.requests.isEmpty && folder.entries() == [])
    }

    @Test(arguments: ["600", "640"])
    func `a file is made with the mode of --create-file-mode`(mode: String) async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "text") }

        let outcome = try await Command.run(
            "curl", "-s", "--create-file-mode", mode, "-o", folder.file("new"), server.url("/"))

        #expect(outcome.status == 0, "\(outcome.stderr)")
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("new"))
        #expect((attributes[.posixPermissions] as? Int) == Int(mode, radix: 8))
    }

    @Test func `a jar can be a pipe`() async throws {
        let server = try LoopbackServer.responding { _ in
            ServerResponse(fields: [("Set-Cookie", "id=7; Max-Age=60")], body: "")
        }

        let outcome = try await Command.shell(
            "\"$plugboard\" curl -s -c /dev/stdout \"$url\" | cat", ["url": server.url("/")])

        #expect(outcome.stdout.contains("\tid\t7\n"), "\(outcome.stdout)")
    }

    @Test func `empty brackets are part of a URL`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "") }

        let outcome = try await Command.run("curl", "-s", server.url("/?a[]=1&b[]=2"))

        #expect(outcome.status == 0 && server.requests.map(\.target) == ["/?a[]=1&b[]=2"], "\(outcome.stderr)")
    }

    @Test func `a command line of curl becomes a definition, which a call sends as curl would`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "") }
        let printed = try await Command.run(
            "curl", "-sL", server.url("/topics?page=2"), "-H", "X-Team: blue", "-H", "Authorization: Bearer geheim",
            "--json", #"{"title":"Swift"}"#, "-4", "--noproxy", "*", "--print-definition", "addTopic")
        let file = try folder.write("definitions.json", printed.stdout)

        let called = try await Command.run("call", "addTopic", "--definitions", file)

        #expect(printed.status == 0 && !"\(printed.stdout)\(printed.stderr)".contains("geheim"), "\(printed.stderr)")
        #expect(called.status == 0, "\(called.stderr)")
        #expect(
            printed.stderr.contains("leaves out these options, which plugboard call takes: -L, --noproxy, -4."),
            "\(printed.stderr)")
        let request = try #require(server.requests.first)
        #expect(server.requests.count == 1 && request.method == "POST" && request.target == "/topics?page=2")
        #expect(request["X-Team"] == "blue" && request.text == #"{"title":"Swift"}"#)
    }

    @Test func `a name of a server is found behind letters whose lower case is longer`() async throws {
        let letters = String(repeating: "\u{130}", count: 40)
        let server = try LoopbackServer.responding { _ in
            ServerResponse(fields: [("Content-Disposition", "\(letters); FileName=a.txt")], body: "text")
        }

        let outcome = try await Command.shell(
            "cd \"$folder\" && \"$plugboard\" curl -sOJ \"$url\"", ["url": server.url("/x"), "folder": folder.path])

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(try text("a.txt") == "text")
    }
}
