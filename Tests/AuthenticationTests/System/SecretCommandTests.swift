import Foundation
import PlugboardAuthenticationOptions
import PlugboardKit
import Synchronization
import TestSupport
import Testing

@testable import PlugboardAuthentication

struct SecretCommandTests {
    @Test func `the output of a program is the secret, and its arguments are not read by a shell`() throws {
        #expect(try run(["printf", "%s\n", "$HOME; a 'b'"]) == "$HOME; a 'b'")
    }

    @Test func `a program has the environment and an empty input, and its standard error is discarded`() throws {
        #expect(try run(["sh", "-c", "cat; printf %s \"${PATH:+set}\""]) == "set")
        #expect(try run(["sh", "-c", "echo hidden >&2; echo out"]) == "out")
    }

    @Test(arguments: [
        (["/nonexistent/program"], "cannot be started"), (["false"], "status 1"), (["true"], "printed nothing"),
        (["sh", "-c", "kill -9 $$"], "status 137"), (["printf", #"\377"#], "not UTF-8"),
        (["sh", "-c", "echo hidden; exit 3"], "status 3"), (["yes", "hidden"], "more than 64 KiB"),
    ])
    func `a program without a valid secret is an error that does not contain the output`(
        arguments: [String], says: String
    ) {
        let error = #expect(throws: PlugboardError.self) { try run(arguments) }

        #expect(error?.code == .authenticationRefresh)
        #expect(error?.reason.contains(says) == true)
        #expect(error?.reason.contains("hidden") == false)
    }

    @Test func `a program that exceeds the timeout is killed with its process group`() throws {
        let folder = try TemporaryFolder("command")
        let script = "(while :; do :; done) & echo $! > '\(folder.file("child"))'; wait"

        let error = #expect(throws: PlugboardError.self) { try run(["sh", "-c", script], within: .milliseconds(300)) }

        #expect(error?.reason.contains("300ms") == true)
        let child = try #require(Int32(SecretFile(folder.file("child")).text))
        let deadline = ContinuousClock.now + .seconds(30)
        // The signal may still be under way, and the killed process may wait to be reaped.
        while isRunning(child), ContinuousClock.now < deadline { usleep(1000) }
        #expect(!isRunning(child))
    }

    @Test func `a program is killed when the plugin stops`() {
        let asked = Atomic(0)

        let error = #expect(throws: PlugboardError.self) {
            try SecretCommand(arguments: ["sleep", "600"], timeout: .seconds(600)).run {
                asked.add(1, ordering: .relaxed).newValue > 2
            }
        }

        #expect(error?.code == .authenticationRefresh)
    }

    @Test func `a child that keeps the pipe open does not delay the end`() throws {
        let folder = try TemporaryFolder("command")

        let token = try run(["sh", "-c", "sleep 600 & echo $! > '\(folder.file("child"))'; echo token"])

        #expect(token == "token")
        let child = try #require(Int32(SecretFile(folder.file("child")).text))
        #expect(kill(child, SIGKILL) == 0)
    }

    private func isRunning(_ process: Int32) -> Bool {
        guard let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
        return !state.contains(" Z ") && !state.contains(" X ")
    }

    private func run(_ arguments: [String], within timeout: Duration = .seconds(60)) throws -> String {
        try SecretCommand(arguments: arguments, timeout: timeout).run { false }
    }
}
