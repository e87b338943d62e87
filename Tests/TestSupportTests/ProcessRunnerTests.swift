import Foundation
import TestSupport
import Testing

@Suite struct ProcessRunnerTests {
    @Test func `a program's status and both outputs come back`() async throws {
        let outcome = try await ProcessRunner.running(
            ["sh", "-c", "cat; echo $WORD; pwd; echo bad >&2; exit 3"],
            environment: ["WORD": "said"], folder: "/", input: Array("given\n".utf8))

        #expect(outcome.status == 3)
        #expect(outcome.stdout == "given\nsaid\n/\n")
        #expect(outcome.stderr == "bad\n")
    }

    @Test func `much output on both sides does not block`() async throws {
        let outcome = try await ProcessRunner.running(
            ["sh", "-c", "head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero"])

        #expect(outcome.stdoutBytes.count == 1_000_000)
        #expect(outcome.stderrBytes.count == 1_000_000)
    }

    @Test func `a program that takes too long is killed`() async throws {
        let outcome = try await ProcessRunner.running(["sleep", "60"], timeout: .milliseconds(50))

        #expect(outcome.status == 128 + SIGKILL)
    }

    @Test func `a shell can wait for its own children`() async throws {
        let outcome = try await ProcessRunner.running(["sh", "-c", "sleep 60 & kill -KILL $!; wait; echo waited"])

        #expect(outcome.stdout == "waited\n")
    }

    @Test func `a program that does not exist is an error`() async throws {
        await #expect(throws: ProcessError.self) { try await ProcessRunner.running(["/no/such/program"]) }
    }

    @Test func `the folder of products holds the tests themselves`() throws {
        let entries = try FileManager.default.contentsOfDirectory(atPath: Products.folder)

        #expect(entries.contains { $0.hasSuffix(".xctest") })
        #expect(throws: ProductError.self) { try Products.library("never-built") }
    }

    @Test func `a temporary folder goes with its object`() throws {
        var folder: TemporaryFolder? = try TemporaryFolder()
        let path = try #require(folder?.path)
        try folder?.write("a/b", "text")
        let before = try folder?.read("a/b")

        folder = nil

        #expect(before == Array("text".utf8))
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
