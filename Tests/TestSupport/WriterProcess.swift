import Foundation

/// This program in a separate process that runs one suite.
package enum WriterProcess {
    /// Runs the tests that match the filter, with environment variables that enable them.
    package static func run(_ filter: String, _ environment: [String: String]) async throws -> ProcessRunner.Outcome {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        // Without its own state folder, a kernel of this process would warn of the plugins of a killed process.
        let state = try TemporaryFolder()
        return try await ProcessRunner.running(
            [program, "--testing-library", "swift-testing", "--filter", filter],
            environment: environment.merging(["XDG_STATE_HOME": state.path]) { given, _ in given })
    }

    /// An environment variable that marks a writer process; nil in other processes.
    package static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    /// Ends this process as `kill -9` does, after a delay.
    package static func killSelf(afterMicroseconds delay: UInt32) {
        Thread.detachNewThread {
            usleep(delay)
            kill(getpid(), SIGKILL)
        }
    }
}
