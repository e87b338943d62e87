import Foundation
import Testing

/// Simulates failing reads of files in a separate process: a preloaded library counts all calls of `pread`, and makes
/// some of them fail.
package enum ReadFaults {
    private static let source = """
        #define _GNU_SOURCE
        #include <errno.h>
        #include <stdatomic.h>
        #include <sys/syscall.h>
        #include <sys/types.h>
        #include <unistd.h>
        static _Atomic long first, last, calls;
        static _Atomic int code;
        void plugboard_fail_reads(long from, long count, int error) {
            first = from, last = from + count - 1, code = error, calls = 0;
        }
        long plugboard_reads(void) { return calls; }
        static ssize_t one(int file, void *bytes, size_t count, off_t offset) {
            long number = ++calls;
            if (number >= first && number <= last) return errno = code, -1;
            return syscall(SYS_pread64, file, bytes, count, offset);
        }
        ssize_t pread(int file, void *bytes, size_t count, off_t offset) { return one(file, bytes, count, offset); }
        ssize_t pread64(int file, void *bytes, size_t count, off64_t offset) { return one(file, bytes, count, offset); }
        """

    /// Runs the tests of this program that match the filter in such a process, which gets the folder in
    /// `PLUGBOARD_TEST_FAULTS`.
    package static func run(_ filter: String, in folder: TemporaryFolder) async throws -> ProcessRunner.Outcome {
        let library = folder.file("faults.so")
        try ProcessRunner.output(
            of: ["cc", "-std=gnu11", "-shared", "-fPIC", "-O1", folder.write("faults.c", source), "-o", library])
        // Added to the library that is preloaded for the thread sanitizer.
        let preloaded = [library, WriterProcess.variable("LD_PRELOAD")].compactMap(\.self).joined(separator: ":")
        return try await WriterProcess.run(
            filter, ["LD_PRELOAD": preloaded, "PLUGBOARD_TEST_FAULTS": folder.path])
    }

    /// The folder, inside such a process.
    package static var folder: String? { WriterProcess.variable("PLUGBOARD_TEST_FAULTS") }

    /// Performs work with each of its reads failing, alone and with all following ones, with each of several errors.
    ///
    /// - Parameters:
    ///   - work: The work that reads; it must start from the beginning each time.
    ///   - check: Called after each run, when no read fails.
    package static func atAllPositions(
        errors: [Int32] = [EIO, ENOMEM, EAGAIN], _ work: () async throws -> Void, check: () async throws -> Void
    ) async throws {
        let handle = try #require(dlsym(nil, "plugboard_fail_reads"))
        let fail = unsafeBitCast(handle, to: (@convention(c) (Int, Int, Int32) -> Void).self)
        let reads = unsafeBitCast(
            try #require(dlsym(nil, "plugboard_reads")), to: (@convention(c) () -> Int).self)
        for error in errors {
            for count in [1, 2, Int.max / 2] {
                var position = 1
                var isReached = true
                while isReached {
                    fail(position, count, error)
                    try await work()
                    isReached = reads() >= position
                    fail(0, 0, 0)
                    try await check()
                    position += 1
                }
                #expect(position > 5)
            }
        }
    }
}
