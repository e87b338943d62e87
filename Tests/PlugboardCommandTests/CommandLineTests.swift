import PlugboardJSON
import TestSupport
import Testing

@testable import PlugboardCommand

/// Words of the command line as curl's users write them.
struct CommandLineTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Responds with the request's body, and in `X-Seen` with the value of its field `X`.
    private func echo() throws -> LoopbackServer {
        try LoopbackServer.responding { request in
            ServerResponse(fields: [("X-Seen", request["X"] ?? "")], body: Array(request.body))
        }
    }

    @Test func `each verb is found by its name`() {
        for verb in Program.verbs { #expect(Program.verb(verb.configuration.commandName ?? "") == verb) }
    }

    // MARK: Joined options

    @Test(arguments: [
        (["u", "-oFILE"], ["u", "-o", "FILE"]), (["-sHX: y=z"], ["-s", "-H", "X: y=z"]),
        (["-d", "-oFILE", "-da=b"], ["-d", "-oFILE", "-d", "a=b"]), (["-sH", "-bx"], ["-s", "-H", "-bx"]),
        (["-", "--output", "-kif", "--", "-oFILE"], ["-", "--output=-kif", "--", "-oFILE"]),
    ])
    func `a short option and its value in one word are split`(words: [String], parts: [String]) throws {
        #expect(try RequestWords(["upload"] + words, isRequest: false).groups == [["upload"] + parts])
    }

    @Test func `a word after an option that takes any value stays whole, and after a flag it is split`() async throws {
        let dump = try JSONParser.parse(try await Command.run("--experimental-dump-help").stdout)

        for command in dump["command"]?["subcommands"]?.arrayValue ?? [] {
            let verb = command["commandName"]?.stringValue ?? ""
            let isRequest = ["get", "head", "post", "put", "patch", "delete", "request"].contains(verb)
            for argument in CommandLineTests.arguments(of: command) {
                let (isFlag, isWhole) = (argument["kind"] == "flag", argument["parsingStrategy"] == "unconditional")
                for name in argument["names"]?.arrayValue ?? [] where name["kind"] == "long" && (isFlag || isWhole) {
                    let option = "--\(name["name"]?.stringValue ?? "")"
                    let words = try RequestWords([verb, option, "-oFILE"], isRequest: isRequest).groups.joined()
                    let expected = isFlag ? ["-o", "FILE"] : ["\(option)=-oFILE"]
                    #expect(words.suffix(expected.count) == expected, "\(verb) \(option)")
                }
            }
        }
    }

    @Test func `an option of curl takes any word as its value`() async throws {
        let dump = try JSONParser.parse(try await Command.run("--experimental-dump-help").stdout)

        for command in dump["command"]?["subcommands"]?.arrayValue ?? [] {
            let verb = command["commandName"]?.stringValue ?? ""
            guard ["get", "post", "download", "upload", "call", "explain"].contains(verb) else { continue }
            for argument in CommandLineTests.arguments(of: command) where argument["kind"] == "option" {
                let names = (argument["names"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue }
                // A URL is taken before the parser.
                let isOfCurl = names.contains { $0 != "url" && CurlOption.named($0)?.takesValue == true }
                #expect(!isOfCurl || argument["parsingStrategy"] == "unconditional", "\(verb) \(names)")
            }
        }
    }

    @Test(arguments: [["-r", "-500"], ["-r-500"], ["--range", "-500", "--max-redirs", "-1"]])
    func `the last bytes are a range, and -1 is no limit of redirects`(words: [String]) async throws {
        let server = try echo()

        let outcome = try await Command.running(["get", server.url()] + words)

        #expect(server.requests.map { $0["Range"] } == ["bytes=-500"], "\(outcome.stderr)")
    }

    /// The arguments of a command and of those below it.
    private static func arguments(of command: JSONValue) -> [JSONValue] {
        (command["arguments"]?.arrayValue ?? [])
            + (command["subcommands"]?.arrayValue ?? []).flatMap { arguments(of: $0) }
    }

    @Test func `values stand beside their short options in one word`() async throws {
        let server = try echo()

        let outcome = try await Command.run(
            "post", server.url(), "-da=1", "-d@\(try folder.write("more", "b=2"))", "-siHX:y=z",
            "-o\(folder.file("body"))")

        #expect(outcome.status == 0, "\(outcome.stderr)")
        let body = String(decoding: try folder.read("body"), as: UTF8.self)
        #expect(body.contains("X-Seen: y=z\r\n") && body.hasSuffix("\r\n\r\na=1&b=2"), "\(body)")
    }

    @Test func `a value that looks like options is sent as it is`() async throws {
        let server = try echo()

        let outcome = try await Command.run("post", server.url(), "--data-binary", "-oFILE")

        #expect(outcome.stdout == "-oFILE", "\(outcome.stderr)")
    }

    @Test(arguments: ["get", "request", "download", "upload", "call", "explain", "exec"])
    func `the letters that are split are those of the options with values`(verb: String) async throws {
        let help = try await Command.run(verb, "--help").stdout

        for option in help.matches(of: /(?m)^  -(\w)(?:, --[\w-]+)+(?:\/--[\w-]+)?( <)?/) {
            let letter = Character(String(option.1))
            let isOfDownload = verb == "download" && DownloadWords.letters.contains(letter)
            let takesValue = isOfDownload || CurlOption.short(letter)?.takesValue ?? false
            #expect(takesValue == (option.2 != nil), "\(option.0)")
        }
    }

    @Test func `an option of curl with a value that cannot be read is an error without the value`() {
        let failure = #expect(throws: CommandFailure.self) { try CurlWords.of(["--max-redirs=geheim"]) }

        #expect(failure?.status == .usage && failure?.message == "curl: The value of --max-redirs is invalid.")
    }

    @Test(arguments: ["get", "download", "upload", "call", "explain"])
    func `options of curl that change nothing are taken by verbs that send`(verb: String) throws {
        let words = [
            "-Z1N#", "--tlsv1", "--tlsv1.0", "--tlsv1.1", "--tcp-nodelay", "--keepalive-time", "-5",
            "--keepalive-time=5", "--no-keepalive", "-s",
        ]

        #expect(try RequestWords([verb] + words, isRequest: verb == "get").groups == [[verb, "-s"]])
        #expect(try RequestWords(["config"] + words, isRequest: false).groups.joined().count > words.count)
    }

    @Test func `a download shows no progress with --no-progress-meter`() throws {
        #expect(try DownloadVerb.parse(["http://a.test/", "--no-progress-meter"]).output.form == .none)
        #expect(try DownloadVerb.parse(["http://a.test/"]).output.form == .bar)
        #expect(
            try RequestWords(["download", "--parallel", "2", "--metalink", "-f"], isRequest: false).groups
                == [["download", "--parallel", "2", "--metalink=-f"]])
    }

    // MARK: Options that are not there

    @Test(arguments: [
        (["--no-check-certificate"], "Write --insecure")
    ])
    func `the error of an option of curl says what to write`(words: [String], text: String) async throws {
        let outcome = try await Command.running(["get", "http://127.0.0.1:1/"] + words)

        #expect(outcome.status == 2)
        #expect(outcome.stderr.split(separator: "\n").first?.contains(text) == true, "\(outcome.stderr)")
        #expect(!outcome.stderr.contains("Did you mean"), "\(outcome.stderr)")
    }

    @Test(arguments: [("--timout", true), ("--cacrt", true), ("--nope", false), ("--vrbs", false)])
    func `an option is suggested only where it is a likely misspelling`(option: String, isNear: Bool) async throws {
        let outcome = try await Command.run("get", "http://127.0.0.1:1/", option)

        #expect(outcome.status == 2)
        #expect(outcome.stderr.contains("Did you mean") == isNear, "\(outcome.stderr)")
    }

    // MARK: Values

    @Test func `an argument that is not UTF-8 is refused`() async throws {
        let server = try echo()

        let outcome = try await Command.shell(
            #""$plugboard" post "$url" --data-binary "$(printf '\377')""#, ["url": server.url()])

        #expect(outcome.status == 2 && outcome.stderr.contains("Argument 4 is not valid UTF-8"), "\(outcome.stderr)")
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [
        ("3", Duration.seconds(3)), ("2.5", .milliseconds(2500)), ("0.0001", .milliseconds(1)),
        ("40ms", .milliseconds(40)),
    ])
    func `a time without a unit is seconds`(text: String, time: Duration) throws {
        #expect(try Duration.argument(text, "--timeout") == time)
    }

    @Test(arguments: ["", "0", ".", "1.2.3", "-1", "1e3", "inf", "0x10", "99999999999999999999"])
    func `what is no time is refused`(text: String) {
        #expect(throws: CommandFailure.self) { try Duration.argument(text, "--timeout") }
    }

    @Test func `a proxy without a scheme is one of http`() async throws {
        let proxy = try LoopbackServer.responding { _ in ServerResponse(body: "by the proxy") }
        let address = String(proxy.url().dropFirst("http://".count).prefix { $0 != "/" })

        let outcome = try await Command.run("get", "http://service.test/", "-x", address)

        #expect(outcome.stdout == "by the proxy", "\(outcome.stderr)")
    }

    @Test(.enabled(if: NginxServer.isAvailable), arguments: ["CURL_CA_BUNDLE", "SSL_CERT_FILE"])
    func `the environment names the certificates that are trusted, unless the command line does`(
        name: String
    ) async throws {
        let server = try NginxServer.shared()
        let own = server.authority.selfSigned.certificate
        let other = server.authority.certificate
        func get(_ file: String, _ more: String...) async throws -> ProcessRunner.Outcome {
            let none = ["CURL_CA_BUNDLE": "", "SSL_CERT_FILE": ""]
            return try await Command.running(
                ["get", server.url("/", .tlsSelfSigned)] + more, environment: none.merging([name: file]) { $1 })
        }

        let trusted = try await get(own)
        let refused = try await get(other)
        let replaced = try await get("/absent.pem", "--cacert", own)
        let unverified = try await get("/absent.pem", "-k")
        let absent = try await get("/absent.pem")

        #expect(trusted.status == 0 && refused.status == 60, "\(trusted.stderr) \(refused.stderr)")
        #expect(replaced.status == 0 && unverified.status == 0, "\(replaced.stderr) \(unverified.stderr)")
        #expect(absent.status == 77 && absent.stderr == "plugboard: \(name): /absent.pem does not exist.\n")
    }

    // MARK: Files

    @Test func `a file without end has an error that fits its option`() async throws {
        let data = try await Command.run("post", "http://127.0.0.1:1/", "-d", "@/dev/zero")
        let schema = try await Command.run("validate", "--schema", "/dev/zero", "-")

        #expect(data.status == 26 && data.stderr.hasSuffix("--data-binary sends any size.\n"), "\(data.stderr)")
        #expect(schema.status == 26 && schema.stderr.hasSuffix("read into memory.\n"), "\(schema.stderr)")
    }

    @Test(arguments: ["", "text"])
    func `a file that is no plugin has one line of checks`(text: String) async throws {
        let file = try folder.write("plugin.so", text)

        let outcome = try await Command.run("plugins", "check", file)

        let lines = outcome.stdout.split(separator: "\n")
        #expect(outcome.status == 1 && lines.count == 2, "\(outcome.stdout)")
        #expect(lines.first?.hasPrefix("failed   load ") == true && lines.last?.contains("untried, 1 failed") == true)
    }
}
