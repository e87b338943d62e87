import Foundation

/// A real nginx on 127.0.0.1, for what a scripted server would only pretend: TLS, HTTP/2, ranges, compression, load.
///
/// It runs as a child, as root or as anybody, from a temporary folder, on ports of its own, and ends with this process
/// however that ends. What it serves is listed in `NginxConfiguration`.
package final class NginxServer: Sendable {
    /// Which of its ports: they all serve the same.
    package enum Door: String, CaseIterable, Sendable {
        /// HTTP/1.1 in the clear.
        case plain
        /// HTTP/2 in the clear, by prior knowledge (RFC 9113 §3.3).
        case plainHTTP2
        /// TLS with HTTP/2 and HTTP/1.1 by ALPN.
        case tls
        /// TLS with HTTP/1.1 only.
        case tlsHTTP1
        /// TLS that answers 400 to who has no certificate of the authority.
        case tlsClientCertificate
        /// TLS with a certificate that is over.
        case tlsExpired
        /// TLS with a certificate signed by itself.
        case tlsSelfSigned

        var isSecure: Bool { self != .plain && self != .plainHTTP2 }
    }

    /// What signed its certificates.
    package let authority: CertificateAuthority
    private let ports: [Door: Int]
    private let folder: TemporaryFolder
    private let watch: Watch

    /// Whether nginx and openssl are installed, or have to be: `@Suite(.enabled(if: NginxServer.isAvailable))`.
    package static let isAvailable = Strictness.isSet || (program != nil && find("openssl") != nil)

    /// The one of this process; started at the first call.
    package static func shared() throws -> NginxServer { try started.get() }

    /// The port of a door.
    package func port(_ door: Door = .plain) -> Int { ports[door] ?? 0 }

    /// An absolute URL; the path begins with "/".
    package func url(_ path: String = "/", _ door: Door = .plain, host: String = "127.0.0.1") -> String {
        "\(door.isSecure ? "https" : "http")://\(host):\(port(door))\(path)"
    }

    /// The folder of its static files: what a test writes here is served at once.
    package var files: String { folder.file("files") }

    /// What nginx has logged: why a request failed on its side.
    package var errorLog: String {
        String(decoding: (try? folder.read("error.log")) ?? [], as: UTF8.self)
    }

    /// Sends nginx a signal: SIGSTOP makes it silent, SIGCONT lets it go on.
    package func signal(_ number: Int32) throws {
        let text = String(decoding: try folder.read("nginx.pid"), as: UTF8.self)
        guard let process = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)), kill(process, number) == 0
        else {
            throw SystemError.failed("kill", errno)
        }
    }

    /// Starts another one, which ends when it is released. Tests share `shared()` unless they change its state.
    package init() throws {
        guard let program = NginxServer.program else { throw NginxError.notInstalled }
        authority = try CertificateAuthority.shared()
        folder = try TemporaryFolder("nginx")
        try NginxConfiguration.writeFiles(in: folder)
        // A port that was free may be taken before nginx has bound it.
        var attempt = 1
        while true {
            do {
                let ports = try NginxServer.freePorts()
                try folder.write(
                    "nginx.conf", NginxConfiguration.text(folder: folder.path, ports: ports, authority: authority))
                watch = try NginxServer.start(program, in: folder)
                self.ports = ports
                return
            } catch NginxError.notStarted where attempt < 3 {
                attempt += 1
            }
        }
    }

    private static let started = Result { try NginxServer() }
    private static let program = find("nginx")

    private static func find(_ name: String) -> String? {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/usr/local/sbin:/usr/bin"
        return path.split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static func freePorts() throws -> [Door: Int] {
        var ports: [Door: Int] = [:]
        // Held until all are chosen, so that they differ.
        let held = try Door.allCases.map { _ in try ClosedPort() }
        for (door, closed) in zip(Door.allCases, held) { ports[door] = closed.port }
        return ports
    }

    /// Starts nginx under a shell that waits for the end of a pipe that only this process holds: so nginx ends with it,
    /// even if it is killed. (PR_SET_PDEATHSIG would end it with the *thread* that started it, and those come and go.)
    private static func start(_ program: String, in folder: TemporaryFolder) throws -> Watch {
        for name in ["nginx.pid", "error.log"] { try? FileManager.default.removeItem(atPath: folder.file(name)) }
        let script = """
            trap '' INT TERM HUP
            "$1" -e error.log -p "$2" -c "$2/nginx.conf" &
            read -r _
            kill -KILL $!
            wait
            rm -rf "$2"
            """
        let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard null >= 0 else { throw SystemError.failed("open /dev/null", errno) }
        defer { close(null) }
        let pipe = try Pipe()
        let process = try ChildProcess(
            ["/bin/sh", "-c", script, "sh", program, folder.path], folder: folder.path,
            standardInput: pipe.reader, standardOutput: null, standardError: null)
        let watch = Watch(process: process, writer: pipe.takeWriter())

        let deadline = ContinuousClock.now + Gate.patience
        // nginx writes its number once all its ports are bound.
        while ((try? folder.read("nginx.pid")) ?? []).isEmpty {
            let log = String(decoding: (try? folder.read("error.log")) ?? [], as: UTF8.self)
            if log.contains("[emerg]") || ContinuousClock.now > deadline { throw NginxError.notStarted(log) }
            usleep(2000)
        }
        return watch
    }

    /// Holds the writing end of the shell's pipe; releasing it ends nginx and removes its folder.
    private final class Watch: Sendable {
        private let process: ChildProcess
        private let writer: Int32

        init(process: ChildProcess, writer: Int32) {
            self.process = process
            self.writer = writer
        }

        deinit {
            close(writer)
            _ = process.wait()
        }
    }
}

/// Why there is no nginx.
package enum NginxError: Error {
    case notInstalled
    /// Holds nginx's error log.
    case notStarted(String)
}
