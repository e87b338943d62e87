import TestSupport
import Testing

/// What the command says where the system gives it too little to run.
@Suite struct ResourcesTests {
    @Test(arguments: 5...9)
    func `without file descriptors for an event loop the command says so, and never traps`(limit: Int) async throws {
        let outcome = try await Command.shell("ulimit -n \(limit); exec \"$plugboard\" get http://127.0.0.1:1/")

        #expect((1..<128).contains(outcome.status), "\(outcome.status): \(outcome.stderr)")
        #expect(!outcome.stderr.contains("Fatal error"), "\(outcome.stderr)")
        if limit == 5 { #expect(outcome.stderr.contains("no file descriptor left"), "\(outcome.stderr)") }
    }

    @Test func `without a thread for an event loop the command says so, and does not trap`() async throws {
        // Root may start as many as it likes.
        let outcome = try await Command.shell(
            """
            if [ "$(id -u)" = 0 ]; then other="setpriv --reuid=65534 --regid=65534 --clear-groups"; fi
            ulimit -p 1; exec $other "$plugboard" get http://127.0.0.1:1/
            """)

        #expect((1..<128).contains(outcome.status), "\(outcome.status): \(outcome.stderr)")
        #expect(outcome.stderr.contains("The system starts no thread"), "\(outcome.stderr)")
    }
}
