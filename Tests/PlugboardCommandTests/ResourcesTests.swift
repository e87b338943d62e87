import TestSupport
import Testing

/// The errors of the command when the system has too few resources.
@Suite struct ResourcesTests {
    // With fewer, libdispatch traps.
    @Test(arguments: 7...10)
    func `without file descriptors for an event loop the command ends with an error, and does not trap`(limit: Int)
        async throws
    {
        let outcome = try await Command.shell("ulimit -n \(limit); exec \"$plugboard\" get http://127.0.0.1:1/")

        #expect((1..<128).contains(outcome.status), "\(outcome.status): \(outcome.stderr)")
        #expect(!outcome.stderr.contains("Fatal error"), "\(outcome.stderr)")
        if limit == 7 { #expect(outcome.stderr.contains("No file descriptor is left"), "\(outcome.stderr)") }
    }
}
