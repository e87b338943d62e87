import Foundation
import TestSupport
import Testing

/// The command's driver, with real sockets and in real time.
struct CacheConformanceTests {
    @Test(.enabled(if: hasPython, "needs python3"), .timeLimit(.minutes(5)), arguments: [[], ["--chunked"]])
    func `a private cache passes every case, except those with a documented reason`(options: [String]) async throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let script = tests.appendingPathComponent("Fixtures/CacheCases/cache_cases.py")

        let outcome = try await ProcessRunner.running(
            ["python3", script.path, try Products.executable("plugboard")] + options,
            environment: ["PYTHONDONTWRITEBYTECODE": "1"], timeout: .seconds(240))

        #expect(outcome.status == 0, "\(outcome.stdout) \(outcome.stderr)")
        #expect(outcome.stdout.contains("required "))
    }

    /// Whether `python3` exists, or is required.
    private static let hasPython =
        Strictness.isSet || (try? ProcessRunner.run(["python3", "--version"]))?.status == 0
}
