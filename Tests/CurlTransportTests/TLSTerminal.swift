import Foundation
import TestSupport

/// A TLS server whose responses the test types: `openssl s_server`, which prints what it receives. Each text is a
/// record.
final class TLSTerminal: Sendable {
    private struct Printed {
        var text = ""
        var waiting: [(text: String, gate: Gate)] = []
    }

    private let process = Process()
    private let input = Pipe()
    private let printed = Locked(Printed())

    /// - Parameter protocols: What the server negotiates with ALPN (RFC 7301), such as `h2`; nil for nothing.
    init(protocols: String? = nil, identity: CertificateAuthority.Identity? = nil) throws {
        let identity = try identity ?? CertificateAuthority.shared().server
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", identity.certificate, "-key", identity.key,
        ]
        if let protocols { process.arguments? += ["-alpn", protocols] }
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        output.fileHandleForReading.readabilityHandler = { [weak self] file in
            let data = file.availableData
            guard let self, !data.isEmpty else {
                // What is left unread would call this again and again.
                file.readabilityHandler = nil
                return
            }
            print(String(decoding: data, as: UTF8.self))
        }
        try process.run()
    }

    /// Not SIGTERM: a process that a thread of libdispatch starts inherits its blocked signals.
    func stop() {
        kill(process.processIdentifier, SIGKILL)
    }

    func type(_ text: String) { type(Array(text.utf8)) }

    /// The server obeys a text that begins with one of some letters; frames of HTTP/2 begin with 0.
    func type(_ bytes: [UInt8]) { input.fileHandleForWriting.write(Data(bytes)) }

    /// All that the server has printed.
    var log: String { printed.withLock { $0.text } }

    private func print(_ text: String) {
        let seen = printed.withLock { printed in
            printed.text += text
            let all = printed.text
            let seen = printed.waiting.filter { all.contains($0.text) }
            printed.waiting.removeAll { all.contains($0.text) }
            return seen
        }
        for waiting in seen { waiting.gate.open() }
    }

    /// Waits until the server has printed a text.
    func seen(_ text: String) async throws {
        let gate = Gate()
        printed.withLock { printed in
            if printed.text.contains(text) { gate.open() } else { printed.waiting.append((text, gate)) }
        }
        try await gate.opened()
    }

    func port() async throws -> Int {
        try await seen("ACCEPT 127.0.0.1:")
        let text = printed.withLock { $0.text }
        guard let start = text.firstRange(of: "ACCEPT 127.0.0.1:")?.upperBound else { return 0 }
        return Int(text[start...].prefix { $0.isNumber }) ?? 0
    }

    /// Waits until clients have so many connections to the server, of which it accepts one at a time.
    func hasConnections(_ count: Int) async throws {
        // Remote address and state: 127.0.0.1, established.
        let mark = " 0100007F:" + String(format: "%04X", try await port()) + " 01 "
        while TLSTerminal.linesOfConnections(with: mark) < count {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    // By line: each read of such a file ends after a page, which Foundation takes for its end.
    private static func linesOfConnections(with mark: String) -> Int {
        guard let file = fopen("/proc/self/net/tcp", "r") else { return 0 }
        var line: UnsafeMutablePointer<CChar>?
        var (room, found) = (0, 0)
        while getline(&line, &room, file) > 0 { if let line, strstr(line, mark) != nil { found += 1 } }
        free(line)
        fclose(file)
        return found
    }
}
