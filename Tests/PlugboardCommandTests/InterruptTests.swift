import TestSupport
import Testing

/// Signals, and a plugin that does not return from its hook.
struct InterruptTests {
    private let folder: TemporaryFolder
    private let plugin: String

    init() throws {
        folder = try TemporaryFolder()
        plugin = try FixturePlugin.build("stuck")
    }

    /// Starts the command as an interactive shell does, and runs a line of shell for `$process` once the plugin is
    /// stuck.
    private func stuck(_ words: String, _ then: String) async throws -> ProcessRunner.Outcome {
        try await Command.shell(
            #"""
            set -m
            export XDG_STATE_HOME="$folder/state"
            mkfifo "$folder/said"
            "$plugboard" $words --plugin "$plugin_file" 2> "$folder/said" &
            process=$!
            exec 3< "$folder/said"
            read line <&3
            # The hook may be there before the command listens: until SIGINT and SIGTERM are caught.
            until grep -q '^SigCgt:.*[4-7c-f]..[2367abef]$' "/proc/$process/status"; do :; done
            \#(then)
            wait $process
            status=$?
            cat <&3 >&2
            exit $status
            """#, ["words": words, "folder": folder.path, "plugin_file": plugin])
    }

    @Test(arguments: [("TERM", 143), ("INT", 130)])
    func `a signal ends a stuck hook within seconds`(signal: String, status: Int32) async throws {
        let clock = ContinuousClock()
        var outcome: ProcessRunner.Outcome?

        let time = try await clock.measure {
            outcome = try await stuck("get http://127.0.0.1:9/", "kill -\(signal) $process")
        }

        #expect(outcome?.status == status)
        #expect(time >= .seconds(5))
    }

    @Test func `a second signal of either kind ends a stuck hook at once`() async throws {
        // The first signal was handled once SIGINT and SIGTERM have their default actions.
        let outcome = try await stuck(
            "get http://127.0.0.1:9/",
            "kill -INT $process; until grep -q '^SigCgt:.*[0-389ab]..[014589cd]$' /proc/$process/status; do :; done; kill -TERM $process"
        )

        #expect(outcome.status == 143)
    }

    /// Runs a request that gets no response, and ends it with a signal once the server has received it.
    private func endingRequests(_ count: Int, with signal: String) async throws -> ProcessRunner.Outcome {
        let server = try LoopbackServer(.silenceBeforeHead())
        let arrivals = Task {
            for number in 1...count {
                _ = try await server.requests(atLeast: number)
                _ = try await ProcessRunner.running(["/bin/sh", "-c", "echo > '\(folder.file("arrived"))'"])
            }
        }
        defer { arrivals.cancel() }
        return try await Command.shell(
            """
            ulimit -c 0
            mkfifo "$folder/arrived"
            exec 3<> "$folder/arrived"
            for number in $(seq $count); do
                env --default-signal=$signal "$plugboard" get "$url" & process=$!
                read line <&3
                kill -$signal $process
                wait $process
                echo $?
            done
            """,
            [
                "folder": folder.path, "url": server.url(), "count": "\(count)", "signal": signal,
                "SWIFT_BACKTRACE": "",
            ])
    }

    @Test(
        .enabled(if: Sanitizer.present == nil, "at its end a sanitizer takes long, and the command has five seconds"),
        arguments: ["INT", "TERM"])
    func `each signal cancels the request, however soon the command ends after it`(signal: String) async throws {
        let outcome = try await endingRequests(50, with: signal)

        #expect(outcome.stdout == String(repeating: "130\n", count: 50))
        let lines = outcome.stderr.split(separator: "\n").filter { $0 == "plugboard: The exchange was cancelled." }
        #expect(lines.count == 50)
    }

    @Test func `SIGQUIT ends the command at once, without a report of a crash`() async throws {
        let outcome = try await endingRequests(1, with: "QUIT")

        #expect(outcome.stdout == "131\n")
        #expect(!outcome.stderr.contains("Backtrac"), "\(outcome.stderr)")
    }

    @Test func `a command with a time limit ends after it, and the error names the plugin`() async throws {
        let lingering = try FixturePlugin.build("lingers")

        let outcome = try await Command.run(
            "com.example.lingers", "nap", "--plugin", lingering, "--timeout", "200ms")

        #expect(outcome.status == 28)
        #expect(
            outcome.stderr.contains(
                "plugboard: The plugin com.example.lingers has not replied to its command nap within 200ms."))
    }

    @Test func `a command with a time limit ends after it even if its plugin is stuck`() async throws {
        let outcome = try await Command.run(
            "com.example.stuck", "stay", "--plugin", plugin, "--timeout", "200ms")

        #expect(outcome.status == 28)
        #expect(outcome.stderr.contains("com.example.stuck has not replied to its command stay within 200ms."))
    }

    @Test(arguments: ["soon", "0s", "-1s"])
    func `a time limit that is not a time is an error`(text: String) async throws {
        let outcome = try await Command.run("com.example.stuck", "stay", "--plugin", plugin, "--timeout=\(text)")

        #expect(outcome.status == 2)
        #expect(outcome.stderr.contains("--timeout must be a time like 30s"))
    }
}
