import TestSupport
import Testing

/// Signals while the reader of standard output reads nothing more.
@Suite struct FullPipeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Starts the command with a pipe as its output, of which one byte is read, and sends a signal. The pipe is full
    /// before or after it.
    private func fill(_ words: String, _ url: String, signal: String) async throws -> ProcessRunner.Outcome {
        try await Command.shell(
            #"""
            mkfifo "$folder/out"
            printf '{"id":"1","url":"%s"}\n' "$url" > "$folder/lines"
            "$plugboard" $words < "$folder/lines" > "$folder/out" & process=$!
            exec 3< "$folder/out"
            head -c 1 <&3 > "$folder/first"
            kill -$signal $process
            wait $process
            """#, ["words": words, "folder": folder.path, "url": url, "signal": signal])
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["TERM", "INT"], ["exec", "get"])
    func `a signal ends the command at once though its reader has stopped`(signal: String, verb: String) async throws {
        let server = try LoopbackServer.responding { _ in
            ServerResponse(body: String(repeating: "a", count: 4_000_000))
        }
        defer { server.stop() }

        let outcome = try await fill(verb == "get" ? "get \(server.url())" : verb, server.url(), signal: signal)

        // By the signal's own number after five seconds, if it waited for the reader.
        #expect(outcome.status == 130, "\(outcome.stderr)")
    }

    @Test func `after a signal a reader that reads still gets each reply`() async throws {
        let server = try LoopbackServer(.silenceBeforeHead())
        defer { server.stop() }
        let arrival = Task {
            _ = try await server.requests(atLeast: 1)
            _ = try await ProcessRunner.running(["/bin/sh", "-c", "echo > '\(folder.file("arrived"))'"])
        }
        defer { arrival.cancel() }

        let outcome = try await Command.shell(
            #"""
            mkfifo "$folder/arrived" "$folder/in"
            "$plugboard" exec < "$folder/in" > "$folder/out" & process=$!
            exec 4> "$folder/in"
            printf '{"id":"1","url":"%s"}\n' "$url" >&4
            read line < "$folder/arrived"
            kill -TERM $process
            wait $process
            status=$?
            cat "$folder/out"
            exit $status
            """#, ["folder": folder.path, "url": server.url()])

        #expect(outcome.status == 130)
        #expect(outcome.stdout.contains(#""kind":"aborted""#), "\(outcome.stdout)")
    }
}
