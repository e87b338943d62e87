import Foundation
import TestSupport
import Testing

/// The command where the system's clock is far off, or refuses what every program gets.
@Suite struct SystemFaultTests {
    /// A library that is loaded before the C library. Each line of `faults` is a macro that switches one fault on.
    private static let source = """
        #define _GNU_SOURCE
        #include <errno.h>
        #include <stdatomic.h>
        #include <sys/epoll.h>
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>
        #ifdef SECONDS
        int clock_gettime(clockid_t clock, struct timespec *now) {
            int result = syscall(SYS_clock_gettime, clock, now);
            if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) now->tv_sec = SECONDS;
            return result;
        }
        time_t time(time_t *seconds) {
            if (seconds) *seconds = SECONDS;
            return SECONDS;
        }
        #endif
        #if defined NO_TIMER || defined WATCHES
        // The first second takes no time: a timer that is due when it is set needs no descriptor.
        int clock_gettime(clockid_t clock, struct timespec *now) {
            static atomic_llong start;
            int result = syscall(SYS_clock_gettime, clock, now);
            if (clock != CLOCK_MONOTONIC) return result;
            long long time = now->tv_sec * 1000000000LL + now->tv_nsec, none = 0;
            atomic_compare_exchange_strong(&start, &none, time);
            if (time - start < 1000000000) {
                now->tv_sec = start / 1000000000;
                now->tv_nsec = start % 1000000000;
            }
            return result;
        }
        #endif
        #ifdef NO_TIMER
        int timerfd_create(int clock, int flags) { return errno = EMFILE, -1; }
        #endif
        #ifdef WATCHES
        int epoll_ctl(int poll, int operation, int file, struct epoll_event *event) {
            static atomic_int count;
            if (operation == EPOLL_CTL_ADD && ++count > WATCHES) return errno = ENOSPC, -1;
            return syscall(SYS_epoll_ctl, poll, operation, file, event);
        }
        #endif
        """

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs the command under a fault, with what a sanitizer needs.
    private func run(_ fault: String, _ arguments: [String]) async throws -> ProcessRunner.Outcome {
        let library = folder.file("fault.so")
        try ProcessRunner.output(
            of: [
                "cc", "-std=gnu11", "-shared", "-fPIC", "-D\(fault)", folder.write("fault.c", Self.source), "-o",
                library,
            ])
        let preloaded = [library, WriterProcess.variable("LD_PRELOAD")].compactMap(\.self).joined(separator: ":")
        return try await Command.running(
            arguments, environment: ["LD_PRELOAD": preloaded, "XDG_STATE_HOME": folder.file("state")])
    }

    // 2263, 2500, 9999, and as far as the system's own clock can be set.
    @Test(arguments: [9_246_182_400, 16_725_225_600, 253_402_300_799, 8_277_292_036])
    func `a clock of a far year ends no command`(seconds: Int) async throws {
        let server = try LoopbackServer.responding { _ in
            ServerResponse(
                fields: [
                    ("Cache-Control", "max-age=60"), ("Set-Cookie", "a=b; Max-Age=60"),
                    ("Date", "Thu, 01 Jan 1970 00:00:00 GMT"),
                ], body: "whole")
        }
        defer { server.stop() }
        let configuration = """
            { "plugins": [ { "id": "cache", "settings": { "path": "\(folder.file("cache.sqlite"))" } }, "cookies", "retry",
              { "id": "queue", "settings": { "path": "\(folder.file("queue.sqlite"))" } }, "logging", "redirect", "resume" ] }
            """
        let file = try folder.write("plugboard.json", configuration)

        for _ in 1...2 {
            let outcome = try await run("SECONDS=\(seconds)", ["get", server.url(), "--config", file])

            #expect(outcome.status == 0, "\(outcome.stderr)")
            #expect(outcome.stdout == "whole")
        }
        let download = try await run(
            "SECONDS=\(seconds)", ["download", server.url("/file"), "-o", folder.file("file")])
        #expect(download.status == 0, "\(download.stderr)")
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["NO_TIMER", "WATCHES=1"])
    func `where the system gives no timer the command ends with an error, and does not hang`(fault: String) async throws
    {
        let outcome = try await run(fault, ["get", "http://127.0.0.1:1/"])

        #expect((1..<128).contains(outcome.status), "\(outcome.status): \(outcome.stderr)")
        #expect(outcome.stderr.hasPrefix("plugboard: No timer fired"), "\(outcome.stderr)")
    }
}
