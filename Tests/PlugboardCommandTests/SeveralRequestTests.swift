import Foundation
import TestSupport
import Testing

@testable import PlugboardCommand

/// Several URLs, `--next` and files of options, for the verbs that send.
struct SeveralRequestTests {
    private let server: LoopbackServer
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer.responding { request in
            ServerResponse(
                status: request.path.hasPrefix("/missing") ? 404 : 200,
                body: "\(request.method) \(request.target) \(request.text)\n")
        }
    }

    private func text(_ name: String) throws -> String { String(decoding: try folder.read(name), as: UTF8.self) }

    @Test func `each URL gets a request with the same options`() async throws {
        let outcome = try await Command.run(
            "post", server.url("/a"), "x=1", server.url("/b"), "-w", "%{http_code} %{urlnum}\\n")

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(outcome.stdout == "POST /a {\"x\":\"1\"}\n200 0\nPOST /b {\"x\":\"1\"}\n200 1\n")
    }

    @Test func `each file is for the URL in its place`() async throws {
        let outcome = try await Command.run(
            "get", "-sO", server.url("/one"), "-o", "two.txt", server.url("/2"), "--remote-name", server.url("/three"),
            server.url("/shown"), "--output-dir", folder.path)

        #expect(outcome.status == 0 && outcome.stdout == "GET /shown \n", "\(outcome.stderr)")
        #expect(try folder.entries() == ["one", "three", "two.txt"])
        #expect(try text("two.txt") == "GET /2 \n")
    }

    @Test func `all URLs can name their files`() async throws {
        let outcome = try await Command.run(
            "get", "--remote-name-all", server.url("/one"), server.url("/two"), "--output-dir", folder.path)

        #expect(outcome.status == 0 && outcome.stdout.isEmpty, "\(outcome.stderr)")
        #expect(try folder.entries() == ["one", "two"])
    }

    @Test func `more files than URLs are refused`() async throws {
        let outcome = try await Command.run("get", server.url(), "-o", folder.file("a"), "-O")

        #expect(outcome.status == 2 && outcome.stderr.contains("more files (-o, -O) than URLs"), "\(outcome.stderr)")
        #expect(server.requests.isEmpty)
    }

    @Test func `lists and ranges mean several URLs`() async throws {
        let outcome = try await Command.run(
            "get", server.url("/{a,b}[1-2]"), "-o", folder.file("#1-#2"))
        let literal = try await Command.run("get", "--globoff", server.url("/{a,b}[1-2]"))

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(try folder.entries() == ["a-1", "a-2", "b-1", "b-2"])
        #expect(try text("b-1") == "GET /b1 \n")
        #expect(literal.stdout == "GET /{a,b}[1-2] \n", "\(literal.stderr)")
    }

    @Test func `each file is uploaded to the URL in its place`() async throws {
        let files = [try folder.write("a", "1"), try folder.write("b", "2")]

        let outcome = try await Command.run(
            "get", "-T", files[0], server.url("/up/"), "-T", files[1], server.url("/up/"), server.url("/plain"))

        #expect(outcome.stdout == "PUT /up/a 1\nPUT /up/b 2\nGET /plain \n", "\(outcome.stderr)")
    }

    @Test func `more files of -T than URLs are refused`() async throws {
        let file = try folder.write("a", "1")

        let outcome = try await Command.run("put", server.url(), "-T", file, "-T", file)

        #expect(outcome.status == 2 && outcome.stderr.contains("more files of -T than URLs"), "\(outcome.stderr)")
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: ["get", "curl"])
    func `a file of heads begins anew after --next`(verb: String) async throws {
        let file = try folder.write("heads", "old\n")

        let outcome = try await Command.run(verb, server.url("/a"), "--next", "-D", file, server.url("/b"))

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(try text("heads").hasPrefix("HTTP/1.1 200"))
    }

    @Test func `a file of fields is read once for all URLs`() async throws {
        let outcome = try await Command.shell(
            #"echo 'X-A: 1' | "$plugboard" get "$url" "$url" -H @-"#, ["url": server.url("/a")])

        #expect(outcome.stdout == "GET /a \nGET /a \n", "\(outcome.stderr)")
        #expect(server.requests.map { $0["X-A"] } == ["1", "1"])
    }

    @Test(arguments: ["post", "curl"])
    func `standard input is the body for all URLs`(verb: String) async throws {
        let outcome = try await Command.run(verb, server.url("/a"), server.url("/b"), "-d", "@-", input: "x=1")

        #expect(outcome.stdout == "POST /a x=1\nPOST /b x=1\n", "\(outcome.stderr)")
    }

    @Test(arguments: ["get", "curl", "download"])
    func `files of fields and of passwords are read once, and can be pipes`(verb: String) async throws {
        let outcome = try await Command.shell(
            #"""
            mkfifo "$folder/fields" "$folder/netrc"; cd "$folder"
            echo 'X-A: 1' > fields & echo 'default login ada password b' > netrc &
            "$plugboard" "$verb" -sO "$a" "$more" "$b" -H @fields --netrc-file netrc
            """#,
            [
                "folder": folder.path, "a": server.url("/a"), "b": server.url("/b"), "verb": verb,
                "more": verb == "download" ? "-s" : "-O",
            ])

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(server.requests.map { $0["X-A"] } == ["1", "1"])
        #expect(server.requests.allSatisfy { $0["Authorization"] == "Basic YWRhOmI=" })
    }

    @Test func `a further URL without a scheme is refused`() async throws {
        let outcome = try await Command.run("get", server.url(), "127.0.0.1:\(server.port)/geheim")

        #expect(outcome.status == 2 && outcome.stderr.contains("write http:// before"), "\(outcome.stderr)")
        #expect(server.requests.isEmpty && !outcome.stderr.contains("geheim"))
    }

    @Test(arguments: ["--next", "-:"])
    func `another request has options of its own`(next: String) async throws {
        let outcome = try await Command.run(
            "post", server.url("/a"), "-d", "one", next, server.url("/b"), "-X", "PUT", "-d", "--next", next,
            server.url("/c"))

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(outcome.stdout == "POST /a one\nPUT /b --next\nPOST /c \n")
    }

    @Test func `the configuration and silence are those of all requests`() async throws {
        let outcome = try await Command.run(
            "get", server.url("/a"), "--next", server.url("/b"), "--plugin", "decode", "-v")

        // The plugin is enabled for both.
        #expect(outcome.stderr.components(separatedBy: "* Plugins: decode").count == 3, "\(outcome.stderr)")
    }

    @Test(arguments: [
        (["/missing", "/ok"], 0, 2), (["/ok", "/missing"], 22, 2), (["/missing", "/ok", "--fail-early"], 22, 1),
    ])
    func `the exit status is that of the last request`(words: [String], status: Int32, count: Int) async throws {
        let arguments = words.map { $0.hasPrefix("/") ? server.url($0) : $0 }

        let outcome = try await Command.running(["get", "-f"] + arguments)

        #expect(outcome.status == status && outcome.stderr.contains("status 404"), "\(outcome.stderr)")
        #expect(server.requests.count == count)
    }

    @Test func `options can be in a file`() async throws {
        try folder.write("more", "data = two\n")
        let file = try folder.write(
            "options",
            "# requests\nurl = \"\(server.url("/a"))\"\n-d one\nnext\nurl=\(server.url("/b"))\n-X PUT\n-K \"\(folder.file("more"))\"\n"
        )

        let outcome = try await Command.run("post", "-sK", file)

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(outcome.stdout == "POST /a one\nPUT /b two\n")
    }

    @Test func `a file of options has values of Plugboard's own options`() throws {
        let lines = try CurlFile.lines(of: "timeout = 5s\ntiming\nurl = a\n", named: "options", isOfCurl: false)

        #expect(lines == [["--timeout", "5s"], ["--timing"], ["--url", "a"]])
    }

    @Test func `a file of options that includes itself is refused`() async throws {
        let file = folder.file("options")
        try folder.write("options", "-K \"\(file)\"\n")

        let outcome = try await Command.run("get", "-K", file)

        #expect(outcome.status == 2 && outcome.stderr.contains("more than 20 deep"), "\(outcome.stderr)")
    }

    @Test(arguments: ["get", "curl"])
    func `silence counts for all requests, wherever it stands`(verb: String) async throws {
        let outcome = try await Command.run(
            verb, "-f", server.url("/missing"), "--next", "-sf", server.url("/missing"))

        #expect(outcome.status == 22)
        // The verbs print errors all the same.
        #expect(outcome.stderr.isEmpty == (verb == "curl"), "\(outcome.stderr)")
    }

    @Test func `each request is printed as a line of curl`() async throws {
        let outcome = try await Command.run(
            "post", server.url("/a"), server.url("/b"), "--json", "{}", "-o", "x", "--print-curl")

        let lines = outcome.stdout.split(separator: "\n")
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains("--data-raw '{}'") }, "\(outcome.stdout)")
        #expect(lines.first?.contains("-o x") == true && lines.last?.contains("-o") == false)
    }

    @Test(arguments: [
        (
            ["get", "-sOL", "a", "-ofile", "-d", "-O"],
            [["get", "-s", "--output", "\0", "-L", "a", "-o", "file", "-d", "-O"]]
        ),
        (["put", "a", "-s:", "b", "--", "--next"], [["put", "a", "-s"], ["put", "b", "--", "--next"]]),
        (
            ["get", "--url=a", "--url", "b:1/c", "--data", "--url"],
            [["get", "http://a", "http://b:1/c", "--data=--url"]]
        ),
        (["get", "-H", "-K", "--next"], [["get", "-H", "-K"], ["get"]]),
        (["get", "--url"], [["get", "--url"]]),
    ])
    func `words of options are not taken for other options`(words: [String], groups: [[String]]) throws {
        #expect(try RequestWords(words).groups == groups)
    }
}
