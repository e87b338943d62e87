import TestSupport

/// The `curl` command as a client nobody here wrote.
enum Curl {
    static func run(_ arguments: String...) async throws -> ProcessRunner.Outcome {
        try await ProcessRunner.running(["curl", "--silent", "--show-error", "--max-time", "20"] + arguments)
    }
}
