import Foundation

/// A real nginx on 127.0.0.1, for features that a scripted server would only imitate, such as TLS and HTTP/2.
///
/// It runs from a temporary folder, on its own ports. `NginxConfiguration` lists its resources.
package final class NginxServer: Sendable {
    /// Its ports, all with the same resources.
    package enum Door: String, CaseIterable, Sendable {
        /// HTTP/1.1 without TLS.
        case plain
        /// HTTP/2 without TLS, by prior knowledge (RFC 9113 §3.3).
        case plainHTTP2
        /// TLS with HTTP/2 and HTTP/1.1 by ALPN.
        case tls
        /// TLS with HTTP/1.1 only.
        case tlsHTTP1
        /// TLS that responds with 400 to clients without a certificate of the authority.
        case tlsClientCertificate
        /// TLS with an expired certificate.
        case tlsExpired
        /// TLS with a self-signed certificate.
        case tlsSelfSigned

        var isSecure: Bool { self != .plain && self != .plainHTTP2 }
    }

    /// The authority that signed its certificates.
    package let authority: CertificateAuthority
    private let ports: [Door: Int]
    private let folder: TemporaryFolder
    private let process: NginxProcess

    /// Whether nginx and openssl are installed, or required: `@Suite(.enabled(if: NginxServer.isAvailable))`.
    package static let isAvailable =
        Strictness.isSet || ["nginx", "openssl"].allSatisfy { NginxProcess.find($0) != nil }

    /// The server of this process, which is started at the first call.
    package static func shared() throws -> NginxServer { try started.get() }

    /// The port of a door.
    package func port(_ door: Door = .plain) -> Int { ports[door] ?? 0 }

    /// An absolute URL; the path begins with "/".
    package func url(_ path: String = "/", _ door: Door = .plain, host: String = "127.0.0.1") -> String {
        "\(door.isSecure ? "https" : "http")://\(host):\(port(door))\(path)"
    }

    /// The folder of its static files: a file that a test writes here is served at once.
    package var files: String { folder.file("files") }

    /// The error log of nginx, with reasons of failed requests.
    package var errorLog: String {
        String(decoding: (try? folder.read("error.log")) ?? [], as: UTF8.self)
    }

    /// Sends nginx a signal: SIGSTOP makes it silent, SIGCONT lets it continue.
    package func signal(_ number: Int32) throws {
        let text = String(decoding: try folder.read("nginx.pid"), as: UTF8.self)
        guard let process = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)), kill(process, number) == 0
        else {
            throw SystemError.failed("kill", errno)
        }
    }

    /// Starts another server, which ends when it is released. Tests share `shared()` unless they change its state.
    package init() throws {
        authority = try CertificateAuthority.shared()
        // A free port may be taken before nginx has bound it.
        var attempt = 1
        while true {
            do {
                // A new folder each time, because it is removed with the process.
                let folder = try TemporaryFolder("nginx")
                try NginxConfiguration.writeFiles(in: folder)
                let ports = try NginxServer.freePorts()
                try folder.write(
                    "nginx.conf", NginxConfiguration.text(folder: folder.path, ports: ports, authority: authority))
                process = try NginxProcess(in: folder)
                (self.folder, self.ports) = (folder, ports)
                return
            } catch NginxError.notStarted where attempt < 3 {
                attempt += 1
            }
        }
    }

    private static let started = Result { try NginxServer() }

    private static func freePorts() throws -> [Door: Int] {
        var ports: [Door: Int] = [:]
        // All are held until the last is chosen, so that they differ.
        let held = try Door.allCases.map { _ in try ClosedPort() }
        for (door, closed) in zip(Door.allCases, held) { ports[door] = closed.port }
        return ports
    }
}
