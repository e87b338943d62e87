import Foundation
import PlugboardTransport
import Synchronization
import TestSupport
import Testing

/// RFC 9112 §9.2: bytes behind a response belong to no other response, also if the TLS library has them already.
@Suite struct TLSRestTests {
    @Test(.timeLimit(.minutes(1)))
    func `bytes in the TLS record of a body's end are not the next response`() async throws {
        let server = try TLSTerminal()
        defer { server.stop() }
        let url = "https://127.0.0.1:\(await server.port())"
        let client = Client()
        var options = RequestOptions()
        options.tls.ca = try CertificateAuthority.shared().certificate
        let (_, first) = await client.begin(.get, "\(url)/first", options: options)
        await server.seen("GET /first")
        server.type("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n")
        try await first.headOrEnd.opened()
        // A record of its own, of which libcurl reads three bytes.
        server.type("ownHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL")
        let own = try await client.finish(first)

        let (_, second) = await client.begin(.get, "\(url)/second", options: options)
        await server.seen("GET /second")
        server.type("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nREAL")
        let next = try await client.finish(second)

        #expect(own.text == "own")
        #expect(next.text == "REAL", "\(next.error as Any)")
    }
}

/// A TLS server whose responses the test types: `openssl s_server`, which prints what it receives. Each text is a
/// record.
private final class TLSTerminal: Sendable {
    private struct Printed {
        var text = ""
        var waiting: [(text: String, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let process = Process()
    private let input = Pipe()
    private let printed = Locked(Printed())

    init() throws {
        let identity = try CertificateAuthority.shared().server
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", identity.certificate, "-key", identity.key,
        ]
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        output.fileHandleForReading.readabilityHandler = { [weak self] file in
            self?.print(String(decoding: file.availableData, as: UTF8.self))
        }
        try process.run()
    }

    func stop() {
        process.terminate()
    }

    func type(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }

    private func print(_ text: String) {
        let seen = printed.withLock { printed in
            printed.text += text
            let all = printed.text
            let seen = printed.waiting.filter { all.contains($0.text) }
            printed.waiting.removeAll { all.contains($0.text) }
            return seen
        }
        for waiting in seen { waiting.continuation.resume() }
    }

    /// Waits until the server has printed a text.
    func seen(_ text: String) async {
        await withCheckedContinuation { continuation in
            let isSeen = printed.withLock { printed in
                if printed.text.contains(text) { return true }
                printed.waiting.append((text, continuation))
                return false
            }
            if isSeen { continuation.resume() }
        }
    }

    func port() async -> Int {
        await seen("ACCEPT 127.0.0.1:")
        let text = printed.withLock { $0.text }
        guard let start = text.firstRange(of: "ACCEPT 127.0.0.1:")?.upperBound else { return 0 }
        return Int(text[start...].prefix { $0.isNumber }) ?? 0
    }
}
