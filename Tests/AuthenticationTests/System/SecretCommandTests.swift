import AuthenticationOptions
import Foundation
import PlugboardKit
import Synchronization
import TestSupport
import Testing

@testable import AuthenticationPlugin

struct SecretCommandTests {
    @Test func `what a program prints is the secret, and no shell reads its arguments`() throws {
        #expect(try run(["printf", "%s\n", "$HOME; a 'b'"]) == "$HOME; a 'b'")
    }

    @Test func `it has the environment and nothing to read, and what it complains of is not looked at`() throws {
        #expect(try run(["sh", "-c", "cat; printf %s \"${PATH:+set}\""]) == "set")
        #expect(try run(["sh", "-c", "echo hidden >&2; echo out"]) == "out")
    }

    @Test(arguments: [
        (["/nonexistent/program"], "cannot be started"), (["false"], "status 1"), (["true"], "printed nothing"),
        (["sh", "-c", "kill -9 $$"], "status 137"), (["printf", #"\377"#], "no UTF-8"),
        (["sh", "-c", "echo hidden; exit 3"], "status 3"), (["yes", "hidden"], "more than 64 KiB"),
    ])
    func `a program that gives no secret is an error that repeats nothing of it`(arguments: [String], says: String) {
        let error = #expect(throws: PlugboardError.self) { try run(arguments) }

        #expect(error?.code == .authenticationRefresh)
        #expect(error?.reason.contains(says) == true)
        #expect(error?.reason.contains("hidden") == false)
    }

    @Test func `a program that takes too long is killed with what it started`() throws {
        let folder = try TemporaryFolder("command")
        let script = "(while :; do :; done) & echo $! > '\(folder.file("child"))'; wait"

        let error = #expect(throws: PlugboardError.self) { try run(["sh", "-c", script], within: .milliseconds(300)) }

        #expect(error?.reason.contains("300ms") == true)
        let child = try #require(Int32(SecretFile(folder.file("child")).text))
        let deadline = ContinuousClock.now + .seconds(30)
        // The signal is on its way; and who it ended may wait to be reaped by whoever adopts orphans here.
        while isRunning(child), ContinuousClock.now < deadline { usleep(1000) }
        #expect(!isRunning(child))
    }

    @Test func `a program is ended when the plugin stops`() {
        let asked = Atomic(0)

        let error = #expect(throws: PlugboardError.self) {
            try SecretCommand(arguments: ["sleep", "600"], timeout: .seconds(600)).run {
                asked.add(1, ordering: .relaxed).newValue > 2
            }
        }

        #expect(error?.code == .authenticationRefresh)
    }

    @Test func `what it leaves behind does not keep it from ending`() throws {
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
