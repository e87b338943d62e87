import PlugboardMessages
import PlugboardStore

extension StoreContract {
    /// Checks what a store does while its engine is out: call it when the test has stopped the engine, or made it full
    /// or silent.
    ///
    /// Each command must end with `down` or `late` within its time and the patience of the test's own clock. After ten
    /// of them the store must know that the engine is out: a hundred commands then end within the patience in all.
    ///
    /// - Parameter patience: More than a second for a machine that is busy with other tests.
    public func checkOutage(patience: Duration = .seconds(1)) async throws {
        let (clock, within) = (ContinuousClock(), Duration.milliseconds(200))
        for number in 1...10 {
            let took = try await clock.measure { try await expectOutage(within: within) }
            if took > within + patience {
                throw Violation(description: "Command \(number) of an outage has \(within), and took \(took).")
            }
        }
        let took = try await clock.measure {
            for _ in 1...100 { try await expectOutage(within: within) }
        }
        if took > patience {
            throw Violation(description: "A hundred commands of a known outage took \(took), more than \(patience).")
        }
    }

    private func expectOutage(within: Duration) async throws {
        do {
            _ = try await reply(to: .get([key("outage")]), within: within)
        } catch let failure as StoreFailure {
            if failure.kind == .down || failure.kind == .late { return }
            throw Violation(description: "A command of an outage is down or late, and not \(failure.kind).")
        }
        throw Violation(description: "A command was done, though the engine is out.")
    }
}
