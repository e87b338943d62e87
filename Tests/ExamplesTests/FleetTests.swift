import TestSupport
import Testing

struct FleetTests {
    /// 77: the script's status where an engine is not installed.
    @Test func `a fleet whose workers and engines are killed loses no order, and no request fails`() async throws {
        let outcome = try await ProcessRunner.running(
            ["python3", "\(Repository.root)/Examples/Fleet/fleet.py", try Products.executable("ExampleFleet")],
            timeout: .seconds(240))
        if outcome.status == 77 {
            print(outcome.stdout)
        } else {
            #expect(outcome.status == 0, "\(outcome.stdout)\(outcome.stderr)")
        }
    }
}
