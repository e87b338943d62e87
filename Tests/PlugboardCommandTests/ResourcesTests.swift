import TestSupport
import Testing

/// The errors of the command when the system has too few resources.
@Suite struct ResourcesTests {
    // With fewer, its shared libraries cannot be loaded.
    @Test(arguments: 4...10)
    func `without enough file descriptors the command ends with an error, and does not trap`(limit: Int)
        async throws
    {
        let outcome = try await Command.shell("ulimit -n \(limit); exec \"$plugboard\" get http://127.0.0.1:1/")

        #expect((1..<128).contains(outcome.status), "\(outcome.status): \(outcome.stderr)")
        #expect(!outcome.stderr.contains("Fatal error"), "\(outcome.stderr)")
        if limit >= 8 { #expect(outcome.stderr.contains("for a connection to 127.0.0.1:1"), "\(outcome.stderr)") }
        if limit <= 7 { #expect(outcome.stderr.contains("file descriptor"), "\(outcome.stderr)") }
    }
}
