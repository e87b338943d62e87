import Foundation
import TestSupport
import Testing

private let curlPath = ["/usr/bin/curl", "/usr/local/bin/curl"].first(
    where: FileManager.default.isExecutableFile(atPath:))

/// Requests as command lines of curl.
struct PrintedCurlTests {
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer.responding { _ in ServerResponse(body: "ok") } }

    private func printed(_ words: String...) async throws -> String {
        let outcome = try await Command.running(words + ["--print-curl"])
        #expect(outcome.status == 0 && outcome.stderr.isEmpty, "\(outcome.stderr)")
        #expect(server.requests.isEmpty)
        return outcome.stdout
    }

    @Test func `the request of explain can be printed as a line of curl`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse() }

        let outcome = try await Command.run(
            "explain", server.url(), "-d", "x", "-H", "Authorization: geheim", "-L", "-A", "a", "--print-curl")

        #expect(outcome.status == 0 && server.requests.isEmpty, "\(outcome.stderr)")
        #expect(outcome.stdout.hasPrefix("curl -X GET -A a") && outcome.stdout.contains("'Authorization: …'"))
        #expect(outcome.stdout.contains(" --data-raw x ") && outcome.stdout.contains(" -L "), "\(outcome.stdout)")
    }

    @Test func `a request is printed with its fields and its body, quoted for sh`() async throws {
        let line = try await printed("post", "http://a.test/b?c=d e", "it's=$x", "X-A:a b", "-A", "me", "--as-form")

        #expect(
            line == "curl -A me -H 'X-A: a b' --data-raw it%27s=%24x 'http://a.test/b?c=d%20e'\n", "\(line)")
    }

    @Test func `the method is left out where it is curl's`() async throws {
        #expect(try await printed("get", "http://a.test/", "-A", "a") == "curl -A a http://a.test/\n")
        #expect(try await printed("head", "http://a.test/", "-A", "a") == "curl -I -A a http://a.test/\n")
        #expect(try await printed("delete", "http://a.test/", "-A", "a") == "curl -X DELETE -A a http://a.test/\n")
        #expect(
            try await printed("get", "http://a.test/", "-A", "a", "-d", "b")
                == "curl -X GET -A a --data-raw b http://a.test/\n")
    }

    @Test func `what plugins and the connection do is printed as options`() async throws {
        let line = try await printed(
            "get", "http://a.test/", "-A", "a", "-L", "--max-redirs", "3", "--compressed", "--retry", "2",
            "--retry-delay", "1", "--retry-max-time", "60", "--retry-connrefused", "-k", "-x", "p.test:1", "-m", "2.5",
            "--connect-timeout", "10s", "--resolve", "a.test:80:127.0.0.1", "-4", "--http1.1", "--tlsv1.2", "-o", "out",
            "-f", "-c", "jar")

        #expect(
            line == "curl -A a -L --max-redirs 3 --compressed --retry 2 --retry-delay 1 --retry-max-time 60 "
                + "--retry-connrefused -c jar -m 2.5 --connect-timeout 10 -x http://p.test:1 "
                + "--connect-to a.test:80:127.0.0.1:80 -4 --http1.1 -k --tlsv1.2 -o out --fail http://a.test/\n",
            "\(line)")
    }

    @Test func `secrets are hidden unless they are asked for`() async throws {
        let words = [
            "get", "http://ada:pw@a.test/", "-u", "ada:geheim", "-b", "s=geheim", "-H", "X-Api-Key: geheim", "-x",
            "http://me:geheim@p.test:1", "--print-curl",
        ]

        let hidden = try await Command.running(words).stdout
        let shown = try await Command.running(words + ["--show-secrets"]).stdout

        #expect(!hidden.contains("geheim") && !hidden.contains("pw"), "\(hidden)")
        #expect(hidden.contains("-u '…'") && hidden.contains("-H 'Cookie: …'") && hidden.contains(" http://a.test/\n"))
        #expect(shown.contains("-u ada:geheim") && shown.contains("-H 'Cookie: s=geheim'"), "\(shown)")
        #expect(shown.contains("-x http://me:geheim@p.test:1") && shown.contains(" http://a.test/\n"))
    }

    @Test func `files and standard input stay what they are, and bytes go through printf`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("a;b.bin", [0x00, 0x27, 0x25, 0xFF, 0x5C])

        #expect(
            try await printed("post", "http://a.test/", "-A", "a", "--data-binary", "@\(file)")
                == "curl -A a --data-binary '@\(file)' http://a.test/\n")
        #expect(
            try await printed("post", "http://a.test/", "-A", "a", "--json", "-").contains(" --data-binary @- "))
        #expect(
            try await printed("post", "http://a.test/", "-A", "a", "-d", "b", "-d", "@\(file)")
                == "printf 'b&'\\''%%\\377\\\\' | curl -A a --data-binary @- http://a.test/\n")
        #expect(
            try await printed("post", "http://a.test/", "-A", "a", "-F", "f=@\"\(file)\"", "q==1")
                .contains("-F 'f=@\"\(file)\";type=application/octet-stream;filename=\"a;b.bin\"'"))
    }

    @Test func `a call is printed with what its definition makes of it`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "definitions.json",
            #"{"Vote": {"method": "PUT", "base": "http://a.test", "path": "topics/{topic}", "requestCodec": "json"}}"#)

        let line = try await printed("call", "Vote", "topic=7", "vote:=1", "--definitions", file, "-A", "a")

        #expect(
            line == "curl -X PUT -H 'Content-Type: application/json' -A a --data-raw '{\"vote\":1}' "
                + "http://a.test/topics/7\n", "\(line)")
    }

    // MARK: There and back

    /// How the line is run: by curl, and by the command's own reader of options.
    private enum Client: CaseIterable, CustomTestStringConvertible {
        case curl, verb

        var testDescription: String { self == .curl ? "curl" : "plugboard" }
    }

    @Test(arguments: Client.allCases)
    private func `a server sees the same request from the printed line`(client: Client) async throws {
        if client == .curl, curlPath == nil {
            print("skipped: this machine has no curl")
            return
        }
        let seed =
            ProcessInfo.processInfo.environment["PLUGBOARD_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...9999)
        print("seed of the printed lines of \(client.testDescription): \(seed)")
        var random = SeededRandom(seed: seed)
        let folder = try TemporaryFolder()
        let file = try folder.write("a file.txt", "line 1\r\nline \"2\"\n\u{1F600}")
        for number in 0..<16 {
            let words = PrintedCurlTests.words(server.url("/\(number)"), file, &random)
            let direct = try await Command.running(words)
            let request = try #require(server.requests.last, "seed \(seed): \(words)\n\(direct.stderr)")
            let count = server.requests.count

            let line = try await Command.running(words + ["--print-curl", "--show-secrets"])
            #expect(
                line.status == 0 && line.stderr.isEmpty && server.requests.count == count, "\(words)\n\(line.stderr)")
            let again = try await run(line.stdout, by: client)

            #expect(again.status == 0, "seed \(seed): \(words)\n\(line.stdout)\(again.stderr)")
            let last = try #require(server.requests.last)
            #expect(server.requests.count == count + 1)
            #expect(
                PrintedCurlTests.text(of: last) == PrintedCurlTests.text(of: request), "seed \(seed): \(line.stdout)")
        }
    }

    private func run(_ line: String, by client: Client) async throws -> ProcessRunner.Outcome {
        switch client {
        case .curl:
            return try await Command.shell("curl() { \"$client\" -sS \"$@\"; }; \(line)", ["client": curlPath ?? ""])
        case .verb:
            // The method that curl takes for these options.
            let hasData = [" --data", " -F ", " --form-string "].contains { line.contains($0) }
            let verb = line.contains(" -X ") || !hasData ? "get" : "post"
            return try await Command.shell("curl() { \"$plugboard\" \(verb) \"$@\"; }; \(line)")
        }
    }

    private static let values = [
        "plain", "two words", "it's", "\"quoted\"", "$HOME `x` \\n", "a;b,c", "ä€", "@at", "-dash", "100%", "a=b&c",
        "#[x]{y}", "*?~!", "=x", "line\nbreak", "",
    ]

    /// A command line of a random request.
    private static func words(_ url: String, _ file: String, _ random: inout SeededRandom) -> [String] {
        func value() -> String { values.randomElement(using: &random) ?? "" }
        // A value of an item that begins with @ is a file.
        func text() -> String { value().replacing("@", with: "") }
        func line() -> String { value().replacing("\n", with: " ") }
        var words = [["get", "post", "put", "patch", "delete", "head"].randomElement(using: &random) ?? "get", url]
        if Bool.random(using: &random) { words.append("q\(value().filter { !"=@:;".contains($0) })==\(text())") }
        if Bool.random(using: &random) {
            words[1] += ["?a=[1]", "?x={y}", "/../z", "/%41?b=%20", "/é"].randomElement(using: &random) ?? ""
        }
        if Bool.random(using: &random) { words += ["-H", "X-A: x\(line().replacing("ä€", with: "a"))"] }
        if Int.random(in: 0..<4, using: &random) == 0 { words += ["-H", "X-B;", "-H", "Accept:"] }
        if Int.random(in: 0..<4, using: &random) == 0 {
            words += ["-A", ["own", "", "a 'b'"].randomElement(using: &random) ?? ""]
        }
        if Int.random(in: 0..<4, using: &random) == 0 { words += ["-u", "me:p w'\"$"] }
        if Int.random(in: 0..<4, using: &random) == 0 { words += ["-b", "a=1; b='2'"] }
        if Int.random(in: 0..<4, using: &random) == 0 { words += ["-L"] }
        words.append("-g")
        if words[0] == "head" { return words }
        switch Int.random(in: 0..<9, using: &random) {
        case 0: words += ["-d", "a=\(value())", "-d", "@\(file)"]
        case 1: words += ["--data-binary", "a\(value())"]
        case 2: words += ["--data-binary", "@\(file)"]
        case 3: words += ["--json", "{\"a\": \"\(value())\"}"]
        case 4: words += ["--form-string", "a=\(value())", "-F", "f=@\(file)", "-F", "t=x;type=text/x"]
        case 5: words += ["a=\(text())", "b[c]:=[1.50]"]
        case 6: words += ["a=\(text())", "--multipart", "f@\(file)"]
        case 7: words += ["--data-raw", "@\(value())", "-H", "Content-Type:"]
        default: break
        }
        return words
    }

    /// The request without what differs between any two clients.
    private static func text(of request: ReceivedRequest) -> String {
        var body = request.text
        var lines = request.fields.filter { !["host", "accept-encoding"].contains($0.name.lowercased()) }
            .map { "\($0.name.lowercased()): \($0.value)" }.sorted()
        if let type = request["Content-Type"], type.hasPrefix("multipart/"),
            let boundary = type.components(separatedBy: "boundary=").last
        {
            body = body.replacing(boundary, with: "B")
            lines = lines.filter { !$0.hasPrefix("content-length") }.map { $0.replacing(boundary, with: "B") }
        }
        return "\(request.method) \(request.target.lowercased())\n\(lines.joined(separator: "\n"))\n\n\(body)"
    }
}
