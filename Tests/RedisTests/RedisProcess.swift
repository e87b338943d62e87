import Foundation
import TestSupport
import Testing

/// A redis-server on a socket in a folder of its own, which ends with this object or with this process.
final class RedisProcess: Sendable {
    static let skipped: Comment = "skipped: this machine has no redis-server"
    static let isAvailable = ["redis-server", "redis-cli"].allSatisfy { name in
        ["/usr/bin", "/usr/local/bin"].contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }
    /// A server without a password, for all tests that leave it as it is.
    static let shared = Task { try await RedisProcess() }

    let folder: TemporaryFolder
    private let options: [String]
    private let running: Locked<Running?>

    var socket: String { folder.file("redis.sock") }
    var url: String { "unix://\(socket)" }

    init(_ options: String...) async throws {
        folder = try TemporaryFolder("redis")
        self.options = options
        running = Locked(nil)
        try await start()
    }

    deinit { kill() }

    /// Starts the server again, on the same socket.
    func start() async throws {
        let program = ["--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder.path]
        let started = Running(["redis-server"] + program + options, in: folder.path)
        running.withLock { $0 = started }
        let deadline = ContinuousClock.now + Gate.patience
        while true {
            let text = try await command("PING")
            if text.contains("PONG") || text.contains("NOAUTH") { return }
            guard ContinuousClock.now < deadline else { throw ProductError.missing("redis-server at \(socket)") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    func kill() {
        running.withLock { running in
            running?.end()
            running = nil
        }
    }

    /// Sends a signal, such as SIGSTOP.
    func signal(_ number: Int32) { running.withLock { $0?.signal(number) } }

    /// Runs a command by redis-cli, beside the plugin, and returns what that prints.
    @discardableResult func command(_ words: String...) async throws -> String { try await command(words) }

    @discardableResult func command(_ words: [String]) async throws -> String {
        try await ProcessRunner.running(["redis-cli", "-s", socket] + words).stdout
    }

    /// Ends with the process of the tests, too.
    private final class Running: Sendable {
        private let state = Locked<(id: pid_t, endShell: (@Sendable () -> Void)?)>((0, nil))

        init(_ arguments: [String], in folder: String) {
            let script = #"""
                exec 2>/dev/null
                "$@" >/dev/null & echo $!
                while kill -0 $PPID; do sleep 1; done
                kill -KILL $!; rm -rf "$0"
                """#
            Task { [state] in
                _ = try? await ProcessRunner.running(
                    ["/bin/sh", "-c", script, folder] + arguments, timeout: .seconds(3600),
                    onOutput: { output in state.withLock { $0.id = pid_t(output.dropLast()) ?? 0 } },
                    onStart: { end in state.withLock { $0.endShell = end } })
            }
        }

        func signal(_ number: Int32) { state.withLock { _ = $0.id > 0 ? Glibc.kill($0.id, number) : 0 } }

        func end() {
            signal(SIGKILL)
            state.withLock { $0.endShell }?()
        }
    }
}
