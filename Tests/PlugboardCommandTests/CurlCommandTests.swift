import Foundation
import TestSupport
import Testing

@testable import PlugboardCommand

/// How `plugboard curl` reads its words, and what it does not do as curl.
struct CurlCommandTests {
    private func group(_ words: String...) throws -> CurlGroup { try CurlLine(words).groups[0] }

    // MARK: Words

    @Test func `short options are joined, and a value follows in the same word or in the next`() throws {
        let group = try group("-sSLo", "a", "-XPUT", "u", "-dx", "-m5")

        #expect(group["silent"] && group["show-error"] && group["location"])
        #expect(group.outputs == [.file("a")] && group.values["request"] == "PUT" && group.values["max-time"] == "5")
        #expect(group.urls == ["u"] && group.data.map(\.value) == ["x"])
    }

    @Test func `long options are abbreviated where that is clear, and switched off by no-`() throws {
        let group = try group("u", "--fail-w", "--no-fail-with-body", "--insec", "--no-clobber", "--", "-x")

        #expect(group.flags["fail-with-body"] == false && group.flags["clobber"] == false)
        #expect(group.words == ["--insecure"] && group.urls == ["u", "-x"])
    }

    @Test(arguments: [
        ("--xyz", "option --xyz is unknown"), ("--verbos-", "Did you mean --verbose?"), ("-§", "option -§ is unknown"),
        ("--data-", "ambiguous"), ("-o", "--output needs a value"), ("--no-output", "cannot be switched off"),
        ("--user=me:geheim", "write it in the next word"), ("-Q", "needs a value"), ("--ntlm", "basic and bearer"),
        ("--ssl-reqd", "FTP"), ("--http0.9", "HTTP/0.9"), ("--haproxy-protocol", "PROXY protocol"),
    ])
    func `an option that cannot be used ends with 2 and one line`(word: String, text: String) async throws {
        let outcome = try await Command.run("curl", "http://127.0.0.1:1/", word)

        #expect(outcome.status == 2 && outcome.stdout.isEmpty && outcome.stderr.contains(text), "\(outcome.stderr)")
        #expect(outcome.stderr.split(separator: "\n").count == 1 && !outcome.stderr.contains("geheim"))
    }

    @Test func `each option of curl is in the table`() async throws {
        guard let curl = CurlTrace.curl else { return }
        let help = try await ProcessRunner.running([curl, "--help", "all"]).stdout

        // --help is followed by a word that may be left out.
        for match in help.matches(of: /(?m)^ (?:-(.),|   ) --(no-)?([\w.-]+)( [<\[])?/) where match.3 != "help" {
            let option = try #require(try CurlOption.long(String(match.3)), "--\(match.3)")
            #expect(option.name == match.3 && option.takesValue == (match.4 != nil), "--\(match.3)")
            if let letter = match.1 { #expect(option.letter == letter.first, "--\(match.3)") }
        }
    }

    @Test func `of traces and --verbose the last one counts`() throws {
        let traced = try group("-v", "--trace", "a", "--trace-ascii", "b", "u")
        let verbose = try group("--trace-ascii", "b", "-v", "u")

        #expect(traced.values == ["trace-ascii": "b"] && traced.words.isEmpty)
        #expect(verbose.values.isEmpty && verbose.words == ["--verbose"])
    }

    @Test func `what Plugboard does not have can be switched off, and a value can be empty`() throws {
        let group = try group("--no-ntlm", "--no-http0.9", "-x", "", "u")

        #expect(group.words == ["--proxy", ""] && group.flags.isEmpty)
    }

    @Test func `groups end with --next`() throws {
        let groups = try CurlLine(["-d", "a", "u", "--next", "-I", "v"]).groups

        #expect(groups.map(\.urls) == [["u"], ["v"]] && groups[0].data.count == 1 && groups[1].data.isEmpty)
        #expect(groups[1]["head"] && !groups[0]["head"])
    }

    // MARK: Files of options

    @Test func `a file has an option on each line`() throws {
        let text = """
            # comment
              url = "http://a/?q=\\"b\\"\\tc"
            -o out
            --silent
            header: "X: y"
            data=a=b  # rest
            -L
            """

        #expect(
            try CurlFile.lines(of: text, named: "f") == [
                ["--url", "http://a/?q=\"b\"\tc"], ["-o", "out"], ["--silent"], ["--header", "X: y"],
                ["--data", "a=b"], ["-L"],
            ])
    }

    @Test func `a file that includes itself is refused`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("options", "config = \(folder.path)/options\n")

        let outcome = try await Command.run("curl", "-K", file, "http://127.0.0.1:1/")

        #expect(outcome.status == 2 && outcome.stderr.contains("more than 20 deep"), "\(outcome.stderr)")
    }

    // MARK: Patterns

    @Test(arguments: [
        ("http://h/a", ["http://h/a"]), ("{a,b}[1-2]", ["a1", "a2", "b1", "b2"]), ("[08-10]", ["08", "09", "10"]),
        ("[a-e:2]", ["a", "c", "e"]), ("http://[::1]:80/[0-1]", ["http://[::1]:80/0", "http://[::1]:80/1"]),
        ("a\\{b\\}", ["a{b}"]), ("{a,}", ["a", ""]),
    ])
    func `a pattern means several URLs`(text: String, urls: [String]) throws {
        let pattern = try URLGlob(text)

        #expect((0..<pattern.count).map { pattern.url(at: $0).url } == urls)
    }

    @Test(arguments: ["[1-", "{a", "a}", "[3-1]", "[1-9999999]", "{a,{b}}", "[a-9]", "[1-2:0]", "[0-99999]{a,b}"])
    func `a pattern that means no URLs is refused`(text: String) {
        #expect(throws: CommandFailure.self) { try URLGlob(text) }
    }

    @Test func `a name takes the values of the lists`() {
        #expect(URLGlob.name("#1_#2-#3#.txt", with: ["a", "b"]) == "a_b-#3#.txt")
    }

    // MARK: Running

    @Test func `a program with the name curl is the verb`() async throws {
        let server = try LoopbackServer.responding { ServerResponse(body: "\($0.method) body") }
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("curl"), withDestinationPath: try Products.executable("plugboard"))

        let outcome = try await ProcessRunner.running([folder.file("curl"), "-sd", "a", server.url()])

        #expect(outcome.status == 0 && outcome.stdout == "POST body", "\(outcome.stderr)")
    }

    @Test func `a password goes to no other origin, also by a redirect of plugboard curl`() async throws {
        let other = try LoopbackServer.responding { _ in ServerResponse(body: "other") }
        let moving = try LoopbackServer.responding { _ in
            ServerResponse(status: 302, fields: [("Location", other.url("/"))])
        }

        let outcome = try await Command.run(
            "curl", "-L", "-u", "a:b", "-H", "Cookie: c=d", "-b", "e=f", "-H", "X-A: 1", moving.url())

        let request = try #require(other.requests.first, "\(outcome.stderr)")
        #expect(request["Authorization"] == nil && request["Cookie"] == nil && request["X-A"] == "1")
        #expect(moving.requests.first?["Authorization"] != nil)
    }

    @Test(arguments: ["--preproxy", "--proxy1.0"])
    func `a proxy that would be left out is refused`(option: String) async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "body") }

        let outcome = try await Command.run("curl", option, "127.0.0.1:1", server.url())

        #expect(outcome.status == 2 && outcome.stderr.contains("through one proxy"), "\(outcome.stderr)")
        #expect(server.requests.isEmpty)
    }

    @Test func `options of proxies are refused with a proxy of the environment, too`() async throws {
        let outcome = try await Command.run(
            "curl", "--proxy-header", "X-A: geheim", "http://127.0.0.1:1/",
            environment: ["http_proxy": "http://127.0.0.1:1"])

        #expect(outcome.status == 2 && outcome.stderr.contains("the proxy of http_proxy"), "\(outcome.stderr)")
        #expect(!outcome.stderr.contains("geheim"))
    }

    @Test func `the error of a time limit names the limit that was given`() async throws {
        let server = try LoopbackServer(.silenceBeforeHead())

        let outcome = try await Command.run("curl", server.url(), "-m", "0.5")

        #expect(outcome.status == 28 && outcome.stderr.contains("within 500ms"), "\(outcome.stderr)")
    }

    @Test func `options of TLS are refused with https, and not before`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "body") }

        let plain = try await Command.run("curl", "--ciphers", "AES", server.url())
        let secure = try await Command.run("curl", "--ciphers", "AES", "https://127.0.0.1:1/")

        #expect(plain.status == 0 && plain.stdout == "body", "\(plain.stderr)")
        #expect(secure.status == 2 && secure.stderr.contains("--ciphers cannot be used"), "\(secure.stderr)")
    }
}
