import Foundation
import TestSupport
import Testing

/// Options of curl about the connection and the request line.
struct ConnectionOptionTests {
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer.responding { _ in ServerResponse(body: "body") } }

    private static let programs = [["get"], ["curl"]]

    @Test(arguments: programs)
    func `HTTP/1.0 is sent`(program: [String]) async throws {
        let outcome = try await Command.running(program + ["-0", server.url("/a")])

        #expect(outcome.status == 0 && outcome.stdout == "body", "\(outcome.stderr)")
        let head = String(decoding: try #require(server.requests.first).head, as: UTF8.self)
        #expect(head.hasPrefix("GET /a HTTP/1.0\r\n"))
    }

    @Test func `HTTP/1.0 has no body of unknown length`() async throws {
        let outcome = try await Command.run("post", server.url(), "-0", "-T", "-", input: "a")

        #expect(outcome.status == 2 && outcome.stderr.contains("no body of unknown length"), "\(outcome.stderr)")
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: programs)
    func `another target than the URL's is asked for`(program: [String]) async throws {
        let outcome = try await Command.running(
            program + ["-X", "OPTIONS", "--request-target", "*", server.url("/a")])

        #expect(outcome.status == 0 && server.requests.map(\.target) == ["*"], "\(outcome.stderr)")
    }

    @Test(arguments: [
        (["-0", "--http2"], "--http2"), (["--http2", "-0"], "--http1.0"), (["--http2", "--http1.1"], "--http1.1"),
        (["-4", "-6"], "-6"), (["-6", "-4"], "-4"), (["--tlsv1.3", "--tlsv1.2"], "--tlsv1.2"),
        (["--tlsv1.2", "--tlsv1.3"], "--tlsv1.3"), (["--socks5", "a.test:1", "-x", "b.test:1"], "-x http://b.test:1"),
        (["-x", "b.test:1", "--socks5-hostname=a.test:1"], "-x socks5h://a.test:1"),
    ])
    func `of options that exclude one another the last one counts`(options: [String], printed: String) async throws {
        let line = try await Command.running(["get", "http://a.test/", "-A", "a", "--print-curl"] + options)

        #expect(line.stdout == "curl -A a \(printed) http://a.test/\n", "\(line.stdout)\(line.stderr)")
    }

    @Test(arguments: programs)
    func `with -6 no address of IPv4 is used, nor another interface than that of --interface`(
        program: [String]
    ) async throws {
        let four = try await Command.running(program + ["-6", "-4", "--interface", "127.0.0.1", server.url()])
        let six = try await Command.running(program + ["-4", "-6", server.url()])
        let absent = try await Command.running(program + ["--interface", "absent0", server.url()])

        #expect(four.status == 0 && four.stdout == "body", "\(four.stderr)")
        #expect(six.status == 7 && absent.status == 45, "\(six.stderr)\(absent.stderr)")
        #expect(server.requests.count == 1)
    }

    @Test func `offline the version of HTTP is printed that would be sent`() async throws {
        let outcome = try await Command.run("get", server.url("/a"), "-0", "--offline")

        #expect(outcome.stdout.hasPrefix("GET /a HTTP/1.0\n"), "\(outcome.stdout)")
    }

    @Test(.enabled(if: NginxServer.isAvailable), arguments: programs)
    func `HTTP/2 is sent without TLS and without an upgrade`(program: [String]) async throws {
        let url = try NginxServer.shared().url("/hundred.txt", .plainHTTP2)

        let outcome = try await Command.running(program + ["--http2-prior-knowledge", "-w", "%{http_version}", url])

        #expect(outcome.status == 0 && outcome.stdout.hasSuffix("2"), "\(outcome.stderr)")
    }

    @Test(.enabled(if: NginxServer.isAvailable), arguments: programs)
    func `a server must have one of the keys of --pinnedpubkey`(program: [String]) async throws {
        let nginx = try NginxServer.shared()
        let (right, wrong) = (nginx.authority.server.pin, nginx.authority.client.pin)
        let words = program + ["-o", "/dev/null", "--cacert", nginx.authority.certificate, nginx.url("/", .tls)]

        let bound = try await Command.running(words + ["--pinnedpubkey", "\(wrong);\(right)"])
        let refused = try await Command.running(words + ["--pinnedpubkey", wrong])

        #expect(bound.status == 0 && refused.status == 90, "\(bound.stderr)\(refused.stderr)")
    }

    @Test(arguments: [
        ("--connect-to", "::127.0.0.1:PORT"), ("--connect-to", "a.test::127.0.0.1:PORT"),
        ("--connect-to", ":80:127.0.0.1:PORT"), ("--connect-to", "a.test:80:127.0.0.1:PORT"),
    ])
    func `an empty host or port of --connect-to is any, after a redirect too`(
        option: String, value: String
    ) async throws {
        let value = value.replacingOccurrences(of: "PORT", with: "\(server.port)")
        for program in ConnectionOptionTests.programs {
            let outcome = try await Command.running(program + [option, value, "http://a.test/x"])

            #expect(outcome.status == 0 && outcome.stdout == "body", "\(program) \(outcome.stderr)")
        }
        #expect(server.requests.map { $0["Host"] } == ["a.test", "a.test"])
    }

    @Test(arguments: [
        ["--connect-to", "a.test:80:b.test:PORT", "--resolve", "b.test:PORT:127.0.0.1"],
        ["--connect-to", "a.test:80:127.0.0.1:PORT", "--connect-to", "a.test:80:127.0.0.1:1"],
    ])
    func `the first --connect-to counts, and --resolve gives it an address`(options: [String]) async throws {
        let options = options.map { $0.replacingOccurrences(of: "PORT", with: "\(server.port)") }
        for program in ConnectionOptionTests.programs {
            let outcome = try await Command.running(program + options + ["http://a.test/x"])

            #expect(outcome.status == 0 && outcome.stdout == "body", "\(program) \(outcome.stderr)")
        }
    }

    @Test(arguments: ["*:PORT:127.0.0.1", "+a.test:PORT:127.0.0.1,127.0.0.2", "a.test:PORT:[127.0.0.1]"])
    func `--resolve takes any host and several addresses`(value: String) async throws {
        let value = value.replacingOccurrences(of: "PORT", with: "\(server.port)")

        let outcome = try await Command.run("get", "http://a.test:\(server.port)/", "--resolve", value)

        #expect(outcome.stdout == "body", "\(outcome.stderr)")
    }

    @Test func `a hyphen before --resolve removes an earlier one`() async throws {
        let host = "127.0.0.1:\(server.port)"
        for program in ConnectionOptionTests.programs {
            let outcome = try await Command.running(
                program + ["--resolve", "\(host):192.0.2.1", "--resolve", "-\(host)", server.url()])

            #expect(outcome.stdout == "body", "\(outcome.stderr)")
        }
    }

    @Test(arguments: [
        ([":80::81"], "--connect-to :80::81"), (["a.test::b.test:"], "--connect-to a.test::b.test:"),
    ])
    func `an empty part of --connect-to is printed as one`(values: [String], printed: String) async throws {
        let line = try await Command.running(
            ["get", "http://a.test/", "-A", "a", "--print-curl"] + values.flatMap { ["--connect-to", $0] })

        #expect(line.stdout == "curl -A a \(printed) http://a.test/\n", "\(line.stdout)\(line.stderr)")
    }

    @Test func `a target with a blank is refused`() async throws {
        let outcome = try await Command.run("get", server.url(), "--request-target", "/a b")

        #expect(outcome.status == 2 && server.requests.isEmpty, "\(outcome.stderr)")
    }

    @Test func `--location-trusted sends credentials and cookies to all hosts`() async throws {
        let moving = try LoopbackServer.responding { [server] _ in
            ServerResponse(status: 302, fields: [("Location", server.url("/b"))])
        }

        let outcome = try await Command.run(
            "get", moving.url(), "--location-trusted", "-u", "ada:geheim", "-b", "c=d", "-H", "X-Api-Key: k")

        let request = try #require(server.requests.first, "\(outcome.stderr)")
        #expect(request["Authorization"] == "Basic \(Data("ada:geheim".utf8).base64EncodedString())")
        #expect(request["Cookie"] == "c=d" && request["X-Api-Key"] == "k")
    }

    @Test func `--location-trusted leaves fields of sessions and of the configuration with their origin`() async throws
    {
        let folder = try TemporaryFolder()
        let moving = try LoopbackServer.responding { [server] _ in
            ServerResponse(status: 302, fields: [("Location", server.url("/b"))])
        }
        let configuration = try folder.write(
            "plugboard.json",
            #"{"kernel": {"headers": {"X-Own": "geheim"}, "secretFields": ["X-Own"], "dataDirectory": "\#(folder.path)"}}"#
        )
        let words = ["get", moving.url(), "--config", configuration, "--session", "it"]

        _ = try await Command.running(words + ["-H", "X-Api-Key: geheim"])
        let outcome = try await Command.running(words + ["--location-trusted", "-b", "c=d"])

        #expect(outcome.status == 0, "\(outcome.stderr)")
        let (first, last) = (moving.requests.last, server.requests.last)
        #expect(first?["X-Api-Key"] == "geheim" && first?["X-Own"] == "geheim")
        #expect(last?["Cookie"] == "c=d" && last?["X-Api-Key"] == nil && last?["X-Own"] == nil)
    }

    @Test func `--location-trusted holds for downloads, and a printed request has it`() async throws {
        let folder = try TemporaryFolder()
        let moving = try LoopbackServer.responding { [server] _ in
            ServerResponse(status: 302, fields: [("Location", server.url("/b"))])
        }
        let options = ["--location-trusted", "-H", "X-Api-Key: k"]

        let outcome = try await Command.running(["download", moving.url("/a"), "-o", folder.file("a")] + options)
        let printed = try await Command.running(["get", moving.url("/a"), "--print-curl"] + options)

        #expect(outcome.status == 0 && server.requests.first?["X-Api-Key"] == "k", "\(outcome.stderr)")
        #expect(printed.stdout.contains(" --location-trusted "), "\(printed.stdout)\(printed.stderr)")
    }

    // MARK: Client certificates

    @Test(.enabled(if: NginxServer.isAvailable), arguments: programs)
    func `a client's key that is encrypted has a password`(program: [String]) async throws {
        let nginx = try NginxServer.shared()
        let folder = try TemporaryFolder()
        let key = folder.file("key.pem")
        try ProcessRunner.output(
            of: [
                "openssl", "pkey", "-in", nginx.authority.client.key, "-aes256", "-passout", "pass:geheim", "-out", key,
            ], folder: folder.path)
        let certificate = String(
            decoding: try Data(contentsOf: URL(filePath: nginx.authority.client.certificate)), as: UTF8.self)
        let both = try folder.write(
            "both.pem", certificate + String(decoding: try folder.read("key.pem"), as: UTF8.self))
        let rest = [
            "--cacert", nginx.authority.certificate, nginx.url("/echo", .tlsClientCertificate, host: "localhost"),
        ]

        let apart = try await Command.running(
            program + ["-E", nginx.authority.client.certificate, "--key", key, "--pass", "geheim"] + rest)
        let joined = try await Command.running(program + ["-E", "\(both):geheim"] + rest)
        let wrong = try await Command.running(program + ["-E", "\(both):falsch"] + rest)

        #expect(apart.stdout.contains("Client: CN=client"), "\(apart.stderr)")
        #expect(joined.stdout.contains("Client: CN=client"), "\(joined.stderr)")
        #expect(wrong.status == 58 && !wrong.stderr.contains("falsch"), "\(wrong.stderr)")
    }

    @Test(arguments: [["--cert-type", "DER"], ["--key-type", "ENG"], ["--key-type", "DER", "--cert-type", "PEM"]])
    func `certificates and keys in other forms than PEM are refused with what to do`(options: [String]) async throws {
        let outcome = try await Command.running(["get", server.url(), "-E", "a.der"] + options)

        #expect(outcome.status == 2 && outcome.stderr.contains("openssl x509"), "\(outcome.stderr)")
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: programs)
    func `the key and the password of no certificate are ignored`(program: [String]) async throws {
        let outcome = try await Command.running(program + [server.url(), "-s", "--key", "a.pem", "--pass", "b"])

        #expect(outcome.status == 0 && outcome.stdout == "body", "\(outcome.stderr)")
    }

    // MARK: plugboard curl

    @Test(arguments: ["HTTP/1.1 abc\r\n\r\n", "nothing of HTTP\r\n"])
    func `a status line that is not HTTP ends plugboard curl with curl's status`(response: String) async throws {
        let strange = try LoopbackServer(.raw(response))

        let outcome = try await Command.run("curl", strange.url())

        #expect(outcome.status == 1, "\(outcome.stderr)")
    }

    @Test func `options of TLS are refused also where a redirect leads to https`() async throws {
        let moving = try LoopbackServer.responding { _ in
            ServerResponse(status: 302, fields: [("Location", "https://127.0.0.1:1/")])
        }

        let outcome = try await Command.run("curl", "-L", "--ciphers", "AES", moving.url())

        #expect(outcome.status == 2 && outcome.stderr.contains("--ciphers cannot be used"), "\(outcome.stderr)")
    }

    @Test func `less than a millisecond is no limit of time`() async throws {
        let outcome = try await Command.run("curl", "-m", "0.0001", server.url())

        #expect(outcome.status == 0 && outcome.stdout == "body", "\(outcome.stderr)")
    }
}
