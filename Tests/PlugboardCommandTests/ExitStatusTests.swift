import TestSupport
import Testing

struct ExitStatusTests {
    @Test func `any HTTP status is a success`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(status: 404, body: "no such page") }

        let outcome = try await Command.run("get", server.url())

        #expect(outcome.status == 0)
        #expect(outcome.stdout == "no such page")
    }

    @Test func `with --fail a status of 400 or more ends with 22 and without the body`() async throws {
        let server = try LoopbackServer.responding { request in
            ServerResponse(status: request.path == "/fine" ? 200 : 400, body: "body")
        }

        let failed = try await Command.run("get", server.url(), "--fail")
        let fine = try await Command.run("get", server.url("/fine"), "--fail")

        #expect(failed.status == 22 && failed.stdout.isEmpty)
        #expect(failed.stderr.contains("400"))
        #expect(fine.status == 0 && fine.stdout == "body")
    }

    @Test(arguments: ["", "ftp://example.com/", "http://", "http:/a", "//a"])
    func `a URL that is not http or https ends with 3`(url: String) async throws {
        #expect(try await Command.run("get", url).status == 3)
    }

    @Test func `a host beyond ASCII ends with 3 and how to write it`() async throws {
        let outcome = try await Command.run("get", "http://ä.example/", "--proxy", "")

        #expect(outcome.status == 3)
        #expect(outcome.stderr.contains("xn--"))
    }

    @Test func `a name that does not exist ends with 6`() async throws {
        #expect(try await Command.run("get", "http://nowhere.invalid/", "--proxy", "").status == 6)
    }

    @Test func `a closed port ends with 7`() async throws {
        let port = try ClosedPort()

        let outcome = try await Command.run("get", port.url())

        #expect(outcome.status == 7)
    }

    @Test func `a response that is not HTTP ends with 8`() async throws {
        let server = try LoopbackServer(.raw("HTTP/1.1 abc\r\n\r\n"))

        #expect(try await Command.run("get", server.url()).status == 8)
    }

    @Test func `an incomplete body ends with 18, after the part that came`() async throws {
        let server = try LoopbackServer(.bodyCutShort(declared: 100, sent: 10))

        let outcome = try await Command.run("get", server.url())

        #expect(outcome.status == 18)
        #expect(outcome.stdout == "abcdefghij")
    }

    @Test func `a file that cannot be written ends with 23`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "body") }
        let folder = try TemporaryFolder()

        let outcome = try await Command.run("get", server.url(), "-o", folder.file("absent/file"))

        #expect(outcome.status == 23)
        #expect(outcome.stderr.contains("absent/file"))
    }

    @Test func `a standard output that is closed ends with 23`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "body") }

        let get = try await Command.shell(#""$plugboard" get "$url" >&-"#, ["url": server.url()])
        let input = #"{"id":"1","url":"\#(server.url())"}"#
        let exec = try await Command.shell(#"echo "$input" | "$plugboard" exec >&-"#, ["input": input])
        let help = try await Command.shell(#""$plugboard" --help >&-"#)

        for outcome in [get, exec, help] {
            #expect(outcome.status == 23)
            #expect(outcome.stderr.contains("standard output cannot be written"))
        }
    }

    @Test func `a standard input that is closed ends with 26`() async throws {
        let outcome = try await Command.shell(#""$plugboard" post http://127.0.0.1:1/ -d @- <&-"#)

        #expect(outcome.status == 26)
    }

    @Test func `exec ends with 23 when a reply cannot be written, though its input goes on`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "ok") }
        let folder = try TemporaryFolder()

        // The shell keeps the pipe open for writing.
        let outcome = try await Command.shell(
            #"""
            mkfifo "$pipe"; exec 3<>"$pipe"; echo "$input" >&3
            "$plugboard" exec <&3 >&-
            """#, ["pipe": folder.file("pipe"), "input": #"{"id":"1","url":"\#(server.url())"}"#])

        #expect(outcome.status == 23)
    }

    @Test func `a plugin that is not linked ends with 2, and the error names the option`() async throws {
        let outcome = try await Command.run("get", "http://127.0.0.1:1/", "--plugin", "redirct")

        #expect(outcome.status == 2)
        #expect(outcome.stderr.contains("--plugin redirct: no plugin of this name is linked"))
        #expect(outcome.stderr.contains("Did you mean redirect?"))
    }

    @Test(arguments: ["x:y:127.0.0.1:80", "a.test:80:127.0.0.1:0", "a.test:80:127.0.0.1", "*:0:127.0.0.1:80"])
    func `a wrong --connect-to ends with 2`(argument: String) async throws {
        let outcome = try await Command.run("get", "http://127.0.0.1:1/", "--connect-to", argument)

        #expect(outcome.status == 2)
    }

    @Test(arguments: [
        ["-d", "@/absent"], ["--data-binary", "@/absent"], ["--form", "a=@/absent"], ["--json", "@/absent"],
    ])
    func `a file that cannot be read ends with 26`(arguments: [String]) async throws {
        let outcome = try await ProcessRunner.running(
            [try Products.executable("plugboard"), "post", "http://127.0.0.1:1/"] + arguments)

        #expect(outcome.status == 26)
        #expect(outcome.stderr.contains("/absent"))
    }

    @Test func `a file of certificates that does not exist is named with its option`() async throws {
        let outcome = try await Command.run("get", "https://127.0.0.1:1/", "--cacert", "/absent.pem")

        #expect(outcome.status == 77)
        #expect(outcome.stderr == "plugboard: --cacert: /absent.pem does not exist.\n")
    }

    @Test func `a file of certificates without a certificate is named with its option`() async throws {
        let outcome = try await Command.run("get", "https://127.0.0.1:1/", "--cacert", "/etc/hosts")

        #expect(outcome.status == 77)
        #expect(outcome.stderr == "plugboard: --cacert: /etc/hosts holds no certificate in PEM form.\n")
    }

    @Test func `a pipe of certificates is told to be no regular file`() async throws {
        let outcome = try await Command.shell(
            #"echo '-----BEGIN CERTIFICATE-----' | "$plugboard" get https://127.0.0.1:1/ --cacert /dev/stdin"#)

        #expect(outcome.status == 77)
        #expect(outcome.stderr.contains("--cacert: /dev/stdin must be a regular file"), "\(outcome.stderr)")
    }

    @Test func `a configuration that does not exist is told so`() async throws {
        let checked = try await Command.run("config", "check", "/absent.json")
        let sent = try await Command.run("get", "https://127.0.0.1:1/", "--config", "/absent.json")

        #expect(checked.status == 1 && checked.stderr == "/absent.json does not exist\n", "\(checked.stderr)")
        #expect(sent.status == 100 && sent.stderr.contains("/absent.json does not exist"), "\(sent.stderr)")
    }

    @Test func `an exchange that takes too long ends with 28`() async throws {
        let server = try LoopbackServer(.silenceBeforeHead())

        let outcome = try await Command.run("get", server.url(), "--timeout", "200ms")

        #expect(outcome.status == 28)
    }

    @Test(
        arguments: [
            (.closedBeforeAnyByte(), 52), (.resetBeforeAnyByte(), 56), (.raw("HTTP/1.1 200"), 52),
            (.resetInBody(declared: 100, sent: 10), 56), (.chunkSize("zz"), 56),
        ] as [(Script, Int32)])
    func `a connection that ends too early has curl's statuses`(script: Script, status: Int32) async throws {
        let server = try LoopbackServer(script)

        let verb = try await Command.run("get", server.url())
        let curl = try await Command.run("curl", server.url())

        #expect(verb.status == status && curl.status == status, "\(verb.stderr)\(curl.stderr)")
    }

    @Test func `a proxy that refuses has curl's statuses`() async throws {
        let server = try LoopbackServer(.responding { _ in ServerResponse(status: 403) })

        let tunnel = try await Command.run("get", "https://a.test/", "-x", server.url())
        let absent = try await Command.run("get", "http://a.test/", "-x", "http://nowhere.invalid:1")

        #expect(tunnel.status == 56, "\(tunnel.stderr)")
        #expect(absent.status == 5, "\(absent.stderr)")
    }

    @Test(arguments: [["--interface", "absent0"], ["--cert", "/absent"]])
    func `the error of an option that cannot be used names it, and the status is curl's`(option: [String]) async throws
    {
        let server = try LoopbackServer(.silenceBeforeHead())

        let outcome = try await Command.running(["get", "https://127.0.0.1:\(server.port)/", "-m", "20"] + option)

        #expect(outcome.status == (option[0] == "--cert" ? 58 : 45), "\(outcome.stderr)")
        #expect(outcome.stderr.contains(option[0]), "\(outcome.stderr)")
    }

    @Test func `a configuration with an error ends with 100`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("plugboard.json", #"{"plugin": []}"#)

        let outcome = try await Command.run("get", "http://127.0.0.1:1/", "--config", file)

        #expect(outcome.status == 100)
        #expect(outcome.stderr.contains("did you mean plugins?"))
    }

    @Test func `a plugin file that does not exist ends with 101`() async throws {
        let folder = try TemporaryFolder()

        let outcome = try await Command.run("get", "http://127.0.0.1:1/", "--plugin", folder.file("absent.so"))

        #expect(outcome.status == 101)
        #expect(outcome.stderr.hasSuffix(" \(folder.file("absent.so")) does not exist.\n"), "\(outcome.stderr)")
    }

    @Test func `an interrupt cancels the exchange and ends with 130`() async throws {
        let server = try LoopbackServer(.silenceBeforeHead())
        // The interrupt follows the request.
        async let outcome = Command.shell(
            #""$plugboard" get "$url" & child=$!; read go < "$pipe"; kill -INT $child; wait $child"#,
            ["url": server.url(), "pipe": try interruptPipe(server)])

        #expect(try await outcome.status == 130)
        #expect(server.requests.count == 1)
    }

    /// A named pipe that gets a line when the server has received a request.
    private func interruptPipe(_ server: LoopbackServer) throws -> String {
        let folder = try TemporaryFolder()
        let path = folder.file("pipe")
        try ProcessRunner.output(of: ["mkfifo", path])
        Task {
            _ = try await server.requests(atLeast: 1)
            _ = try await ProcessRunner.running(["/bin/sh", "-c", "echo go > '\(path)'"])
            withExtendedLifetime(folder) {}
        }
        return path
    }
}

@Suite(.enabled(if: NginxServer.isAvailable))
struct `Exit statuses of TLS` {
    @Test(arguments: [NginxServer.Door.tlsSelfSigned, .tlsExpired])
    func `an untrusted certificate ends with 60, unless --insecure accepts it`(
        door: NginxServer.Door
    ) async throws {
        let server = try NginxServer.shared()
        let url = server.url("/", door)

        let refused = try await Command.run("get", url, "--cacert", server.authority.certificate)
        let insecure = try await Command.run("get", url, "--insecure")

        #expect(refused.status == 60)
        #expect(insecure.status == 0)
    }

    @Test func `the authority of --ca-file is trusted`() async throws {
        let server = try NginxServer.shared()

        let outcome = try await Command.run(
            "get", server.url("/", .tls), "--ca-file", server.authority.certificate, "--http2", "--include")

        #expect(outcome.status == 0)
        #expect(outcome.stdout.hasPrefix("HTTP/2 "))
    }

    @Test func `a port that does not speak TLS ends with 35`() async throws {
        let server = try LoopbackServer(.raw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))

        let outcome = try await Command.run("get", "https://127.0.0.1:\(server.port)/")

        #expect(outcome.status == 35)
    }
}
