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

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace"), "strace is not installed"),
        .timeLimit(.minutes(1)), arguments: ["timerfd_create:error=EMFILE", "epoll_ctl:error=ENOSPC:when=2"])
    func `where libdispatch gets no timer the command ends with an error, and does not hang`(fault: String) async throws
    {
        let outcome = try await Command.shell(
            "exec strace -f -o /dev/null -e inject=\(fault) \"$plugboard\" get http://127.0.0.1:1/")

        #expect(outcome.status == 1, "\(outcome.stderr)")
        #expect(outcome.stderr.contains("timerfd_create"), "\(outcome.stderr)")
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/faketime"), "faketime is not installed"),
        arguments: ["2262-04-12 12:00:00", "2400-01-01 12:00:00", "1960-01-01 12:00:00"])
    func `a clock beyond the nanoseconds of 64 bits, or before 1970, ends no command`(time: String) async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "here") }
        defer { server.stop() }

        let outcome = try await Command.shell(
            "FAKETIME_DONT_FAKE_MONOTONIC=1 exec faketime -m '\(time)' \"$plugboard\" get \(server.url())")

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(outcome.stdout == "here")
    }
}
