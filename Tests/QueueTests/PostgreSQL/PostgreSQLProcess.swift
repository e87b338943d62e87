import Foundation
import PlugboardKit
import PlugboardSQLite
import TestSupport
import Testing

@testable import PlugboardQueuePostgreSQL

/// A server on a socket in a folder of its own, which ends with this object or with this process.
final class PostgreSQLProcess: Sendable {
    static let skipped: Comment = "skipped: this machine has no PostgreSQL server"
    static let isAvailable = programs != nil
    /// A server without fsync, for all tests that leave it as it is. Each uses a schema of its own.
    static let shared = Task { try await PostgreSQLProcess("-c", "fsync=off") }

    /// Where the newest server's programs are.
    private static let programs: String? = {
        let root = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
        guard let newest = versions.max(), FileManager.default.isExecutableFile(atPath: "\(root)/\(newest)/bin/initdb")
        else { return nil }
        return "\(root)/\(newest)/bin"
    }()

    let folder: TemporaryFolder
    private let options: [String]
    private let running: Locked<Running?>

    var url: String { "postgresql:///postgres?host=\(folder.path)&user=plugboard" }

    init(_ options: String...) async throws {
        folder = try TemporaryFolder("postgresql")
        self.options = options
        running = Locked(nil)
        if getuid() == 0 { try ProcessRunner.output(of: ["chown", "nobody", folder.path]) }
        let made = try await ProcessRunner.running(
            PostgreSQLProcess.unprivileged("initdb")
                + [
                    "-D", folder.file("data"), "-U", "plugboard", "-A", "trust", "-E", "UTF8", "--locale=C",
                    "--no-sync",
                ])
        guard made.status == 0 else { throw ProductError.missing("initdb: \(made.stderr)") }
        try await start()
    }

    deinit { kill() }

    /// A server refuses to run as root.
    private static func unprivileged(_ program: String) -> [String] {
        let start = getuid() == 0 ? ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] : []
        return start + ["\(programs ?? "")/\(program)"]
    }

    /// Starts the server again, on the same socket.
    func start() async throws {
        let arguments = [
            "-D", folder.file("data"), "-c", "listen_addresses=", "-c", "unix_socket_directories=\(folder.path)", "-c",
            "max_connections=300",
        ]
        let started = Running(PostgreSQLProcess.unprivileged("postgres") + arguments + options, in: folder.path)
        running.withLock { $0 = started }
        let deadline = ContinuousClock.now + Gate.patience
        while true {
            do throws(SQLiteFailure) {
                _ = try PostgreSQLConnection(url)
                return
            } catch {
                guard ContinuousClock.now < deadline else { throw ProductError.missing(error.message) }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Ends the server as a crash does.
    func kill() {
        running.withLock { running in
            running?.end()
            running = nil
        }
    }

    /// Sends a signal, such as SIGSTOP, to the server and its sessions.
    func signal(_ number: Int32) { running.withLock { _ = $0?.signal(number) } }

    /// A schema of the queue that nothing uses.
    func schema() throws(SQLiteFailure) -> String {
        let name = "queue_\(UInt32.random(in: 0 ... .max))"
        _ = try QueueSchemaVersion.migrate(try PostgreSQLConnection(url), QueueNames(schema: name))
        return name
    }

    /// Ends with the process of the tests, too.
    private final class Running: Sendable {
        private let state = Locked<(id: pid_t, endShell: (@Sendable () -> Void)?)>((0, nil))

        init(_ arguments: [String], in folder: String) {
            // The server makes a group of its own, so that a signal reaches all its processes.
            let script = #"""
                setsid "$@" >/dev/null 2>&1 & echo $!
                while kill -0 $PPID; do sleep 1; done 2>/dev/null
                kill -KILL -$!; rm -rf "$0"
                """#
            Task { [state] in
                _ = try? await ProcessRunner.running(
                    ["/bin/sh", "-c", script, folder] + arguments, timeout: .seconds(3600),
                    onOutput: { output in state.withLock { $0.id = pid_t(output.dropLast()) ?? 0 } },
                    onStart: { end in state.withLock { $0.endShell = end } })
            }
        }

        @discardableResult func signal(_ number: Int32) -> [pid_t] {
            state.withLock { state in
                guard state.id > 0 else { return [] }
                // Sessions have groups of their own.
                let children = (try? ProcessRunner.output(of: ["pgrep", "-P", "\(state.id)"])) ?? ""
                let all = children.split(separator: "\n").compactMap { pid_t($0) }
                _ = Glibc.kill(-state.id, number)
                for child in all { _ = Glibc.kill(child, number) }
                return all
            }
        }

        func end() {
            let sessions = signal(SIGKILL)
            // A server does not start beside sessions of the one before it.
            let deadline = ContinuousClock.now + .seconds(5)
            while sessions.contains(where: { Glibc.kill($0, 0) == 0 }), ContinuousClock.now < deadline { usleep(1000) }
            state.withLock { $0.endShell }?()
        }
    }
}
