import Foundation

/// This program once more, as a process of its own that runs one suite.
package enum WriterProcess {
    /// Runs the tests that the filter fits, with variables that tell them that they are meant.
    package static func run(_ filter: String, _ environment: [String: String]) async throws -> ProcessRunner.Outcome {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        // A kernel of this process would warn of the plugins of one that was killed.
        let state = try TemporaryFolder()
        return try await ProcessRunner.running(
            [program, "--testing-library", "swift-testing", "--filter", filter],
            environment: environment.merging(["XDG_STATE_HOME": state.path]) { given, _ in given })
    }

    /// The arguments of this process, if it is a writer process.
    package static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    /// Ends this process as `kill -9` does, some time from now, wherever it is then.
    package static func killSelf(afterMicroseconds delay: UInt32) {
        Thread.detachNewThread {
            usleep(delay)
            kill(getpid(), SIGKILL)
        }
    }
}
