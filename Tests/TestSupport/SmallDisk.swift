import Foundation

/// A file system of a few mebibytes, in memory, that is visible to only one separate process.
package enum SmallDisk {
    /// Whether this user may mount such a file system.
    package static let isAvailable: Bool = {
        let trial = ["unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "/tmp"]
        return (try? ProcessRunner.output(of: trial)) != nil
    }()

    /// Runs the tests of this program that match the filter, with such a file system at a folder, which the process
    /// gets in `PLUGBOARD_TEST_DISK`.
    package static func run(
        _ filter: String, mebibytes: Int, at folder: TemporaryFolder
    ) async throws -> ProcessRunner.Outcome {
        try await run(filter, #"mount -t tmpfs -o size=\#(mebibytes)m,mode=700 tmpfs "$PLUGBOARD_TEST_DISK""#, folder)
    }

    /// Runs tests with the folder on a read-only file system, with its present files.
    package static func runReadOnly(
        _ filter: String, at folder: TemporaryFolder
    ) async throws -> ProcessRunner.Outcome {
        let mount = #"mount --bind "$PLUGBOARD_TEST_DISK" "$PLUGBOARD_TEST_DISK""#
        return try await run(filter, #"\#(mount) && mount -o remount,bind,ro "$PLUGBOARD_TEST_DISK""#, folder)
    }

    private static func run(
        _ filter: String, _ mount: String, _ folder: TemporaryFolder
    ) async throws -> ProcessRunner.Outcome {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let script = #"\#(mount) && exec "$0" --testing-library swift-testing --filter "$1""#
        let state = try TemporaryFolder()
        return try await ProcessRunner.running(
            ["unshare", "-m", "sh", "-c", script, program, filter],
            environment: ["PLUGBOARD_TEST_DISK": folder.path, "XDG_STATE_HOME": state.path])
    }

    /// The folder of the small disk, inside such a process.
    package static var folder: String? { ProcessInfo.processInfo.environment["PLUGBOARD_TEST_DISK"] }

    /// The number of bytes that can still be written there.
    package static func available(at folder: String) throws -> Int {
        var system = statvfs()
        guard statvfs(folder, &system) == 0 else { throw SystemError.failed("statvfs \(folder)", errno) }
        return Int(system.f_bavail) * Int(system.f_frsize)
    }

    /// Writes or extends a file until the disk is full.
    package static func fill(_ path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemError.failed("open \(path)", errno) }
        defer { close(file) }
        let piece = [UInt8](repeating: 1, count: 4096)
        while write(file, piece, piece.count) > 0 {}
    }
}
