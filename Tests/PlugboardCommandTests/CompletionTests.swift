import TestSupport
import Testing

/// What the completion scripts of the shells ask the command for.
struct CompletionTests {
    /// The completions of the last word.
    private func completions(_ words: [String], of option: String) async throws -> [String] {
        let line = ["plugboard"] + words
        let outcome = try await Command.running(
            ["---completion"] + ["get", "--", option] + ["\(line.count - 1)", "0"] + line)
        #expect(outcome.status == 0, "\(outcome.stderr)")
        return outcome.stdout.split(separator: "\n").map(String.init)
    }

    @Test func `ids of plugins are completed`() async throws {
        #expect(
            try await completions(["get", "--plugin", "re"], of: "--plugin") == [
                "recorder", "redirect", "resume", "retry",
            ])
    }

    @Test func `settings and their values are completed`() async throws {
        #expect(try await completions(["get", "--set", "cookies.pers"], of: "--set") == ["cookies.persistence="])
        #expect(
            try await completions(["get", "--set", "cookies.persistence=m"], of: "--set")
                == ["cookies.persistence=memory"])
    }

    @Test func `attributes and their values are completed, also where bash divides the word`() async throws {
        #expect(
            try await completions(["get", "--attribute", "redirect.follow", "=", "f"], of: "--attribute") == ["false"])
    }

    @Test func `paths of plugins are completed`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("one[1].so", "")

        #expect(
            try await completions(["get", "--plugin", "\(folder.path)/one["], of: "--plugin")
                == ["\(folder.path)/one[1].so"])
    }
}
