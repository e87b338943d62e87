import Foundation
import PlugboardJSON
import TestSupport
import Testing

/// Names of files, patterns and variables that are curl's to the detail.
struct CurlDetailTests {
    private static let programs = [["get"], ["curl"]]
    private let folder: TemporaryFolder
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer.responding { request in
            let fields = request.path == "/named/" ? [("Content-Disposition", "attachment; filename=own")] : []
            return ServerResponse(fields: fields, body: request.text.isEmpty ? "body" : request.text)
        }
    }

    /// Runs the command in the folder, which has the files a and b.
    private func run(_ words: [String]) async throws -> ProcessRunner.Outcome {
        for name in ["a", "b"] { try folder.write(name, "<\(name)>") }
        return try await ProcessRunner.running(
            [try Products.executable("plugboard")] + words, folder: folder.path, input: [])
    }

    @Test(arguments: programs, ["", "/", "/x/", "/x/?a=b/c"])
    func `-O refuses a URL that has no name of a file`(program: [String], path: String) async throws {
        let outcome = try await run(program + ["-O", server.url(path)])

        #expect(outcome.status == 23 && outcome.stderr.contains("no name of a file for -O"), "\(outcome.stderr)")
        #expect(try server.requests.isEmpty && folder.entries().sorted() == ["a", "b"])
    }

    @Test(arguments: [("get", "%61 b", "/x/../%2561%20b"), ("curl", "%2561%20b", "/%2561%20b")])
    func `a verb decodes the name of -O and sends the path unchanged, unlike curl`(
        program: String, name: String, target: String
    ) async throws {
        let outcome = try await run([program, "-O", server.url("/x/../%2561%20b")])

        #expect(try folder.entries().sorted() == [name, "a", "b"], "\(outcome.stderr)")
        #expect(server.requests.map(\.target) == [target])
    }

    @Test(arguments: programs)
    func `with -J, the server names the file of a URL without a name, or the transfer fails`(
        program: [String]
    ) async throws {
        let named = try await run(program + ["-OJ", server.url("/named/")])
        let unnamed = try await run(program + ["-OJ", server.url("/x/")])

        #expect(named.status == 0 && unnamed.status == 23, "\(named.stderr)\(unnamed.stderr)")
        #expect(try folder.entries().sorted() == ["a", "b", "own"])
    }

    @Test(arguments: programs)
    func `a URL in the query of another one is no scheme of it`(program: [String]) async throws {
        let outcome = try await run(program + [String(server.url("/a?b=http://a.test/").dropFirst("http://".count))])

        #expect(server.requests.first?.target == "/a?b=http://a.test/", "\(outcome.stderr)")
    }

    @Test(arguments: programs)
    func `-O- is no option`(program: [String]) async throws {
        let outcome = try await run(program + ["-sO-", server.url("/x")])

        #expect(outcome.status == 2 && server.requests.isEmpty, "\(outcome.stderr)")
        #expect(program == ["curl"] || outcome.stderr.contains("-o - is standard output"), "\(outcome.stderr)")
    }

    @Test(arguments: programs)
    func `an empty name of a file is refused`(program: [String]) async throws {
        let outcome = try await run(program + ["-o", "", server.url()])

        #expect(outcome.status == 2 && outcome.stderr.contains("needs the name of a file"), "\(outcome.stderr)")
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [["/a b"], ["/?a b"], ["/", "-G", "-d", "a b"], ["/ "]])
    func `plugboard curl refuses a space in a URL, and a verb sends it as %20`(words: [String]) async throws {
        let words = [server.url(words[0])] + words.dropFirst()

        let curl = try await run(["curl"] + words)
        let verb = try await run(["get"] + words)
        let printed = try await run(["get"] + words + ["--print-curl"])

        #expect(curl.status == 3 && curl.stderr.contains("written as %20"), "\(curl.stderr)")
        #expect(verb.status == 0 && server.requests.count == 1, "\(verb.stderr)")
        #expect(printed.stdout.contains(server.requests.first?.target ?? "none"), "\(printed.stdout)")
    }

    @Test(arguments: programs)
    func `each file of a pattern of -T is sent to each URL`(program: [String]) async throws {
        let outcome = try await run(program + ["-T", "{a,b}", server.url("/[1-2]/"), "-T", "a", server.url("/c")])

        #expect(outcome.stdout == "<a><a><b><b><a>", "\(outcome.stderr)")
        #expect(server.requests.map(\.target) == ["/1/a", "/2/a", "/1/b", "/2/b", "/c"])
    }

    @Test(arguments: programs)
    func `with -g, braces are part of the name of a file of -T`(program: [String]) async throws {
        try folder.write("{a}", "braces")

        let outcome = try await run(program + ["-g", "-T", "{a}", server.url("/c")])

        #expect(outcome.stdout == "braces" && server.requests.map(\.method) == ["PUT"], "\(outcome.stderr)")
    }

    @Test(arguments: programs)
    func `an empty -T sends no file to its URL`(program: [String]) async throws {
        let outcome = try await run(program + ["-T", "a", "-T", ""] + [server.url("/1"), server.url("/2")])

        #expect(outcome.stdout == "<a>body", "\(outcome.stderr)")
        #expect(server.requests.map(\.method) == ["PUT", "GET"])
    }

    @Test(arguments: programs)
    func `the object of all variables has curl's members`(program: [String]) async throws {
        let outcome = try await run(program + ["-so", "out", "-w", "%{json}", server.url()])

        let object = try JSONParser.parse(outcome.stdout).objectValue ?? [:]
        #expect(object["ftp_entry_path"] == .null && object["proxy_ssl_verify_result"]?.intValue == 0)
        #expect(object["curl_version"]?.stringValue?.hasPrefix("libcurl/") == true, "\(outcome.stdout)")
    }

    @Test(arguments: [["-L"], []], ["http://b.test/", ""])
    func `a line of curl has ;auto of --referer`(options: [String], first: String) async throws {
        let outcome = try await run(
            ["get", "http://a.test/", "-A", "a", "-e", "\(first);auto", "--print-curl"] + options)

        let words = ["curl", "-A", "a"] + options + ["-e", "'\(first);auto'", "http://a.test/"]
        #expect(outcome.stdout == words.joined(separator: " ") + "\n", "\(outcome.stderr)")
    }
}
