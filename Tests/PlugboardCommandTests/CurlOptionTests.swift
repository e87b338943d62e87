import Foundation
import PlugboardJSON
import PlugboardMessages
import TestSupport
import Testing

@testable import PlugboardCommand

/// What options of curl do here that no comparison with curl shows.
struct CurlOptionTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer.responding { request in
            switch request.path {
            case "/moved": ServerResponse(status: 302, fields: [("Location", "/")])
            default: ServerResponse(fields: [("Set-Cookie", "secret=geheim"), ("X-Seen", "a\u{9B}b")], body: "body")
            }
        }
    }

    @Test(.enabled(if: Command.hasTerminals))
    func `heads that go to a terminal show no secrets and control nothing`() async throws {
        let shown = try await Command.onTerminal("get \(server.url()) -D -")

        #expect(shown.contains("X-Seen: a\\u{9B}b"), "\(shown)")
        #expect(!shown.contains("geheim") && !shown.contains("a\u{9B}b"), "\(shown)")
    }

    @Test(arguments: [["--retry", "9223372036854775807"], ["-L", "--max-redirs", "9223372036854775807"]])
    func `numbers beyond what plugins take are their limits`(options: [String]) async throws {
        let outcome = try await Command.running(["get", server.url("/moved"), "-L"] + options)

        #expect(outcome.status == 0 && outcome.stdout == "body", "\(outcome.stderr)")
    }

    @Test(arguments: [["--json", "{}"], ["-F", "a=b"]])
    func `with --get only the data of -d is allowed`(options: [String]) async throws {
        let outcome = try await Command.running(["get", server.url(), "-G"] + options)

        #expect(outcome.status == 2 && outcome.stderr.contains("--get puts the data of -d"), "\(outcome.stderr)")
        #expect(server.requests.isEmpty)
    }

    @Test func `a password is sent to the origin of the request alone`() async throws {
        let other = try LoopbackServer.responding { _ in ServerResponse(body: "other") }
        let moving = try LoopbackServer.responding { _ in
            ServerResponse(status: 302, fields: [("Location", other.url("/"))])
        }

        let outcome = try await Command.run("get", moving.url(), "-L", "-u", "ada:geheim", "-v")

        #expect(outcome.status == 0 && outcome.stdout == "other", "\(outcome.stderr)")
        #expect(moving.requests.first?["Authorization"] == "Basic \(Data("ada:geheim".utf8).base64EncodedString())")
        #expect(other.requests.first?["Authorization"] == nil)
        #expect(!outcome.stderr.contains("geheim") && !outcome.stderr.contains("YWRhOmdlaGVpbQ"))
    }

    @Test func `the variables of --write-out can be in capitals`() async throws {
        let outcome = try await Command.run("curl", "-s", server.url(), "-w", " %{HTTP_CODE} %{Num_Certs} %HEADER{x}")

        #expect(outcome.stdout == "body 200 0 %HEADER{x}", "\(outcome.stderr)")
    }

    @Test(arguments: ["post", "curl"])
    func `the method of --write-out is that of the last request`(verb: String) async throws {
        let outcome = try await Command.run(verb, "-sLd", "a=1", server.url("/moved"), "-w", " %{method}")

        #expect(outcome.stdout == "body GET", "\(outcome.stderr)")
    }

    @Test func `the variables of --write-out are written after a failure, too`() async throws {
        let outcome = try await Command.run(
            "get", "http://127.0.0.1:1/", "-w", "%{http_code} %{exitcode} %{size_download}\\n", "--connect-timeout", "5"
        )

        #expect(outcome.status == 7 && outcome.stdout == "000 7 0\n", "\(outcome.stdout)")
    }

    @Test func `the variables of --write-out are written after a file that cannot be written, too`() async throws {
        let outcome = try await Command.run(
            "get", server.url(), "-w", "%{http_code} %{exitcode}", "-o", "/dev/null/file")

        #expect(outcome.status == 23 && outcome.stdout == "200 23", "\(outcome.stdout)\(outcome.stderr)")
    }

    @Test(arguments: ["get", "curl"])
    func `--write-out tells the bytes of heads that were sent`(verb: String) async throws {
        func size(_ words: String...) async throws -> Int {
            let outcome = try await Command.running([verb, "-so", "/dev/null", "-w", "%{size_request}"] + words)
            return try #require(Int(outcome.stdout), "\(outcome.stderr)")
        }

        let (one, longer) = (try await size(server.url()), try await size(server.url(), "-H", "X: 1"))
        let two = try await size("-L", server.url("/moved"))

        #expect(one > 40 && longer == one + "X: 1\r\n".utf8.count)
        #expect(two == 2 * one + "moved".utf8.count)
    }

    /// curl counts a body that it sends together with the head: data of less than 64 KiB.
    @Test(arguments: ["get", "curl"], [("-d", 100, 10), ("-d", 65_525, 10), ("-d", 65_536, 0), ("-T", 100, 0)])
    func `--write-out tells the bytes of small data as part of the request`(
        verb: String, body: (option: String, count: Int, counted: Int)
    ) async throws {
        let folder = try TemporaryFolder()
        func size(_ count: Int) async throws -> Int {
            let file = try folder.write("data", String(repeating: "a", count: count))
            let data = body.option == "-T" ? file : "@\(file)"
            let outcome = try await Command.run(
                verb, "-so", "/dev/null", "-w", "%{size_request}", body.option, data, server.url())
            return try #require(Int(outcome.stdout), "\(outcome.stderr)")
        }

        #expect(try await size(body.count + 10) - size(body.count) == body.counted)
    }

    @Test(.enabled(if: NginxServer.isAvailable), arguments: ["get", "curl"])
    func `--write-out tells the certificates of the server`(verb: String) async throws {
        let nginx = try NginxServer.shared()
        let words = [verb, "-so", "/dev/null", "--cacert", nginx.authority.certificate, nginx.url("/", .tls)]

        let outcome = try await Command.running(words + ["-w", "%{num_certs}\\n%{certs}"])
        let object = try JSONParser.parse(try await Command.running(words + ["-w", "%{json}"]).stdout)

        let (count, text) = (outcome.stdout.prefix { $0 != "\n" }, outcome.stdout.drop { $0 != "\n" }.dropFirst())
        #expect(Int(count) == text.ranges(of: "-----BEGIN CERTIFICATE-----\n").count && text.hasPrefix("Subject:"))
        #expect(text.hasSuffix("-----END CERTIFICATE-----\n"), "\(outcome.stdout)\(outcome.stderr)")
        #expect(object["certs"]?.stringValue == String(text) && object["num_certs"]?.intValue == Int64(count))
    }

    @Test(arguments: ["get", "curl"])
    func `--write-out tells a proxy's response to CONNECT`(verb: String) async throws {
        let proxy = try LoopbackServer.responding { _ in ServerResponse(status: 403) }

        let outcome = try await Command.run(verb, "-sx", proxy.url(), "https://a.test/", "-w", "%{http_connect}")

        #expect(outcome.stdout == "403", "\(outcome.stderr)")
    }

    @Test(.enabled(if: NginxServer.isAvailable), arguments: ["get", "curl"])
    func `--write-out tells what the TLS library thinks of a certificate that is accepted unverified`(
        verb: String
    ) async throws {
        let nginx = try NginxServer.shared()
        let words = [verb, "-so", "/dev/null", "-w", "%{ssl_verify_result}"]

        let unknown = try await Command.running(words + ["-k", nginx.url("/", .tlsSelfSigned)])
        let trusted = try await Command.running(
            words + ["--cacert", nginx.authority.certificate, nginx.url("/", .tls)])

        #expect(Int(unknown.stdout).map { $0 != 0 } == true && trusted.stdout == "0", "\(unknown)\(trusted)")
    }

    @Test(arguments: ["get", "curl"])
    func `--url-query takes text that is encoded already`(verb: String) async throws {
        let outcome = try await Command.run(verb, server.url("/?a"), "--url-query", "+b=%20c", "--url-query", "d e")

        #expect(server.requests.last?.target == "/?a&b=%20c&d+e", "\(outcome.stderr)")
    }

    @Test(arguments: ["get", "curl"])
    func `a format of --write-out in a file has no line ends`(verb: String) async throws {
        let folder = try TemporaryFolder()
        let format = try folder.write("format", "%{http_code}\r\n%{exitcode}\\n\n")

        let outcome = try await Command.run(verb, server.url(), "-s", "-o", folder.file("out"), "-w", "@\(format)")

        #expect(outcome.status == 0 && outcome.stdout == "2000\n", "\(outcome.stdout)\(outcome.stderr)")
    }

    @Test(arguments: [("5", "5-"), ("5,7", "5-"), ("0-1,4-5", "0-1,4-5")])
    func `a range of one number goes to the end`(range: String, sent: String) async throws {
        let verb = try await Command.run("get", server.url(), "-r", range)
        let curl = try await Command.run("curl", server.url(), "-r", range)

        #expect(
            server.requests.map { $0["Range"] } == ["bytes=\(sent)", "bytes=\(sent)"], "\(verb.stderr)\(curl.stderr)")
    }

    @Test func `a token goes before a password of plugboard curl`() async throws {
        let outcome = try await Command.run("curl", server.url(), "--oauth2-bearer", "token", "-u", "ada:geheim")

        #expect(server.requests.map { $0["Authorization"] } == ["Bearer token"], "\(outcome.stderr)")
    }

    @Test func `options that ask for what is always done are taken`() async throws {
        let outcome = try await Command.run(
            "get", server.url("/a/../[1]?{b}"), "-g", "--path-as-is", "-N", "--progress-bar", "-S", "--basic")

        #expect(outcome.status == 0 && outcome.stdout == "body" && outcome.stderr.isEmpty, "\(outcome.stderr)")
        #expect(server.requests.map(\.target) == ["/a/../[1]?{b}"])
    }

    @Test(arguments: [
        ("5", 5), ("5B", 5), ("2k", 2048), ("2K", 2048), ("2KiB", 2048), ("1.5m", 1_572_864), ("8MiB", 8_388_608),
        ("1g", 1 << 30), ("0", 0),
    ])
    func `a size has curl's units, and those of configurations`(text: String, bytes: Int) throws {
        #expect(try ByteCount.argument(text, "--limit-rate")?.bytes == bytes)
    }

    @Test(arguments: ["", "k", "-1", "1x", "1kk", "1e3", "99999999p", "1,5k", "٣"])
    func `another text is no size`(text: String) {
        #expect(throws: CommandFailure.self) { try ByteCount.argument(text, "--limit-rate") }
    }

    @Test(arguments: [["-c", "jar"], ["--session", "missing"]])
    func `the order of plugins has those that options enable`(cookies: [String]) async throws {
        let order = try await Command.running(
            ["plugins", "order", "--no-config", "-L", "--compressed", "--retry", "2", "-u", "me"] + cookies)

        #expect(order.status == 0, "\(order.stderr)")
        for id in ["decode", "redirect", "authentication", "cookies", "retry"] {
            #expect(order.stdout.contains(id), "\(id) in \(order.stdout)")
        }
    }

    // MARK: Options of transfers

    @Test(arguments: [("get", "PUT"), ("post", "POST"), ("put", "PUT"), ("patch", "PATCH")])
    func `a file is uploaded with the verb's method, or with PUT`(verb: String, method: String) async throws {
        let folder = try TemporaryFolder()

        let outcome = try await Command.run(verb, "-T\(try folder.write("a b.txt", "text"))", server.url("/up/"))

        let request = try #require(server.requests.first, "\(outcome.stderr)")
        #expect(request.method == method && request.target == "/up/a%20b.txt" && request.text == "text")
    }

    @Test func `a file beside another body is refused`() async throws {
        let outcome = try await Command.run("post", server.url(), "-T", "a", "-d", "b")

        #expect(outcome.status == 2 && outcome.stderr.contains("one body") && server.requests.isEmpty)
    }

    @Test(arguments: [["post"], ["curl"]])
    func `a form in parts beside another boundary is refused`(verb: [String]) async throws {
        let outcome = try await Command.running(
            verb + [server.url(), "-F", "a=b", "-H", "Content-Type: multipart/form-data; boundary=x"])

        #expect(outcome.status == 2 && outcome.stderr.contains("has a boundary of its own"), "\(outcome.stderr)")
        #expect(outcome.stderr.split(separator: "\n").count == 1 && server.requests.isEmpty)
    }

    @Test(arguments: [["post"], ["curl"]], [("", ""), (";", ""), ("; charset=utf-8", "; charset=utf-8")])
    func `the type of a form in parts can be given, and gets its boundary`(
        verb: [String], parameters: (given: String, sent: String)
    ) async throws {
        let outcome = try await Command.running(
            verb + [server.url(), "-F", "a=b", "-H", "content-type: multipart/form-data\(parameters.given)"])

        let request = try #require(server.requests.first, "\(outcome.stderr)")
        let boundary = try #require(request.text.split(separator: "\r\n").first?.dropFirst(2))
        #expect(request["Content-Type"] == "multipart/form-data; boundary=\(boundary)\(parameters.sent)")
    }

    @Test func `name and password come from a file, for their host alone`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "netrc",
            "machine other.test login x password y\n# machine 127.0.0.1\nmachine 127.0.0.1\n  login ada\n  password \"a b\"\n"
        )

        let outcome = try await Command.run("get", server.url(), "--netrc-file", file)
        let none = try await Command.run(
            "get", server.url(), "--netrc-file", try folder.write("other", "machine other.test login x password y"))

        #expect(outcome.status == 0 && none.status == 0, "\(outcome.stderr) \(none.stderr)")
        #expect(server.requests.first?["Authorization"] == "Basic \(Data("ada:a b".utf8).base64EncodedString())")
        #expect(server.requests.last?["Authorization"] == nil)
    }

    @Test func `a condition of time is a date or a file`() async throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"

        _ = try await Command.run("get", server.url(), "-z", "6 Nov 1994 08:49:37 GMT")
        _ = try await Command.run("get", server.url(), "-z", "-\(date)")

        #expect(server.requests.first?["If-Modified-Since"] == date)
        #expect(server.requests.last?["If-Unmodified-Since"] == date)
    }

    @Test func `a proxy gets its own credentials`() async throws {
        let outcome = try await Command.run("get", "http://service.test/", "-x", server.url(), "-U", "me:a@b")

        #expect(outcome.stdout == "body", "\(outcome.stderr)")
        let value = Data("me:a@b".utf8).base64EncodedString()
        #expect(server.requests.first?["Proxy-Authorization"] == "Basic \(value)")
    }
}
