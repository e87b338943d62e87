import TestSupport

/// The `curl` command: a client that is independent of Plugboard.
enum Curl {
    static func run(_ arguments: String...) async throws -> ProcessRunner.Outcome {
        try await ProcessRunner.running(["curl", "--silent", "--show-error", "--max-time", "20"] + arguments)
    }
}
