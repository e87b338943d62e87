import Foundation
import TestSupport
import Testing

/// The errors of the command when the system has too few resources.
@Suite struct ResourcesTests {
    // With fewer, its shared libraries cannot be loaded.
    @Test(arguments: 4...10)
    func `without enough file descriptors the command ends with an error, and does not trap`(limit: Int)
        async throws
    {
        // The command has what its parent has left open, which other tests may have opened meanwhile.
        let closing = (3...9).map { "\($0)>&-" }.joined(separator: " ")
        let outcome = try await Command.shell(
            "exec \(closing); ulimit -n \(limit); PLUGBOARD_LOOPS=1 exec \"$plugboard\" get http://127.0.0.1:1/")

        #expect((1..<128).contains(outcome.status), "\(outcome.status): \(outcome.stderr)")
        #expect(!outcome.stderr.contains("Fatal error"), "\(outcome.stderr)")
        #expect(outcome.stderr.contains("file descriptor"), "\(outcome.stderr)")
        // With 8, libdispatch may have one open for a moment that the event loop needs.
        if limit >= 9 { #expect(outcome.stderr.contains("for a connection to 127.0.0.1:1"), "\(outcome.stderr)") }
    }

    // Each limit has a user of its own, because the system counts the threads of a user.
    @Test(.enabled(if: geteuid() == 0, "another user needs root"), .timeLimit(.minutes(1)), arguments: [1, 2, 5, 8])
    func `where the system starts no thread the command ends with an error, and does not hang`(limit: Int) async throws
    {
        let user = 54_000 + limit
        let outcome = try await Command.shell(
            """
            exec setpriv --reuid=\(user) --regid=\(user) --clear-groups prlimit --nproc=\(limit) "$plugboard" get \
                http://127.0.0.1:1/
            """)

        #expect(outcome.status == 1)
        #expect(
            outcome.stderr.hasPrefix("plugboard: The system starts no further thread")
                && outcome.stderr.contains("Raise the limit (ulimit -u)"), "\(outcome.stderr)")
    }
}
