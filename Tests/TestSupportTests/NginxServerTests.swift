import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: NginxServer.isAvailable)) struct NginxServerTests {
    @Test func `it serves files with ranges`() async throws {
        let nginx = try NginxServer.shared()

        let outcome = try await Curl.run("--range", "26-29", nginx.url("/hundred.txt"))

        #expect(outcome.stdout == "abcd")
    }

    @Test(arguments: [
        (NginxServer.Door.plain, "1.1"), (.plainHTTP2, "2"), (.tls, "2"), (.tlsHTTP1, "1.1"),
    ])
    func `each door speaks its version`(_ door: NginxServer.Door, _ version: String) async throws {
        let nginx = try NginxServer.shared()
        let arguments = door == .plainHTTP2 ? ["--http2-prior-knowledge"] : []

        let outcome = try await ProcessRunner.running(
            ["curl", "--silent", "--cacert", nginx.authority.certificate, "--write-out", "%{http_version}"]
                + arguments + ["--output", "/dev/null", nginx.url("/hundred.txt", door)])

        #expect(outcome.status == 0)
        #expect(outcome.stdout == version)
    }

    @Test(arguments: [NginxServer.Door.tlsExpired, .tlsSelfSigned])
    func `a bad certificate is refused`(_ door: NginxServer.Door) async throws {
        let nginx = try NginxServer.shared()

        let outcome = try await Curl.run("--cacert", nginx.authority.certificate, nginx.url("/echo", door))

        #expect(outcome.status == 60)
        #expect(outcome.stderr.contains(door == .tlsExpired ? "expired" : "self-signed"))
    }

    @Test func `the name of the certificate and its pin hold`() async throws {
        let nginx = try NginxServer.shared()
        let resolve = "a.good.test:\(nginx.port(.tls)):127.0.0.1"
        let url = nginx.url("/echo", .tls, host: "a.good.test")
        let authority = nginx.authority

        let right = try await Curl.run(
            "--cacert", authority.certificate, "--resolve", resolve, "--pinnedpubkey", authority.server.pin, url)
        let wrong = try await Curl.run(
            "--cacert", authority.certificate, "--resolve", resolve, "--pinnedpubkey", authority.client.pin, url)

        #expect(right.status == 0, "\(right.stderr)")
        #expect(wrong.status == 90)
    }

    @Test func `a client certificate is asked for and seen`() async throws {
        let nginx = try NginxServer.shared()
        let url = nginx.url("/echo", .tlsClientCertificate)
        let client = nginx.authority.client

        let without = try await Curl.run("--cacert", nginx.authority.certificate, "--include", url)
        let with = try await Curl.run(
            "--cacert", nginx.authority.certificate, "--cert", client.certificate, "--key", client.key, url)

        #expect(without.stdout.contains(" 400"))
        #expect(with.stdout.contains("Client: CN=client\n"))
    }

    @Test func `redirects, statuses and echoes respond`() async throws {
        let nginx = try NginxServer.shared()

        let redirected = try await Curl.run("--location", nginx.url("/redirect/3"))
        let missing = try await Curl.run("--fail", nginx.url("/status/404"))
        let echo = try await Curl.run("--user-agent", "a tester", nginx.url("/echo?x=1"))

        #expect(redirected.stdout == "arrived\n")
        #expect(missing.status == 22)
        #expect(echo.stdout.hasPrefix("GET /echo?x=1 HTTP/1.1\n"))
        #expect(echo.stdout.contains("User-Agent: a tester\n"))
    }

    @Test func `it compresses, protects and stores`() async throws {
        let nginx = try NginxServer.shared()
        let stored = nginx.url("/store/deep/\(UUID().uuidString)")

        let gzip = try await Curl.run("--compressed", "--include", nginx.url("/gzip/text.txt"))
        let refused = try await Curl.run("--fail", nginx.url("/private/hundred.txt"))
        let admitted = try await Curl.run("--user", "user:secret", nginx.url("/private/hundred.txt"))
        let put = try await Curl.run("--request", "PUT", "--data", "kept", "--fail", stored)
        let got = try await Curl.run(stored)

        #expect(gzip.stdout.contains("Content-Encoding: gzip"))
        #expect(gzip.stdout.utf8.count > 65_536)
        #expect(refused.status == 22)
        #expect(admitted.stdoutBytes == Script.letters(100))
        #expect(put.status == 0)
        #expect(got.stdout == "kept")
    }

    @Test func `releasing one ends it and removes its folder`() async throws {
        var nginx: NginxServer? = try NginxServer()
        let url = try #require(nginx?.url("/echo"))
        let files = try #require(nginx?.files)
        let before = try await Curl.run(url)

        nginx = nil

        #expect(before.status == 0)
        #expect(try await Curl.run(url).status == 7)
        #expect(!FileManager.default.fileExists(atPath: files))
    }
}
