import Foundation
import PlugboardKit
import Testing

@testable import PlugboardRetry

struct SimulationTests {
    @Test func `with a budget an outage adds few attempts to the requests`() {
        let simulation = Simulation(hasBudget: true)
        let limits = RetryBudget.Limits()

        let outage = simulation.run()[simulation.outage]

        let first = outage.reduce(0) { $0 + $1.first }
        let attempts = outage.reduce(0) { $0 + $1.attempts }
        let bound = first + limits.size + first * limits.share / 100 + limits.perSecond * outage.count
        #expect(first == 2000)
        #expect(attempts > first && attempts <= bound, "\(attempts) of at most \(bound)")
    }

    @Test func `without a budget each request makes all its attempts`() {
        let simulation = Simulation(hasBudget: false)

        let outage = simulation.run()[simulation.outage]

        let first = outage.reduce(0) { $0 + $1.first }
        let attempts = outage.reduce(0) { $0 + $1.attempts }
        #expect(attempts > first * 29 / 10 && attempts <= first * RetryPolicy().attempts, "\(attempts) of \(first)")
    }

    @Test(arguments: [true, false])
    func `before the outage nothing is repeated`(hasBudget: Bool) {
        let counts = Simulation(hasBudget: hasBudget).run()

        #expect(counts[..<20].allSatisfy { $0 == .init(first: 100, attempts: 100, successful: 100) })
    }

    @Test func `with a budget the server recovers after its outage, and without one it does not`() {
        let with = Simulation(hasBudget: true).run()[45...]
        let without = Simulation(hasBudget: false).run()[45...]

        #expect(with.allSatisfy { $0.attempts == 100 && $0.successful == 100 })
        #expect(without.allSatisfy { $0.attempts > 150 && $0.successful < 90 })
    }

    @Test func `the README shows the table of the simulation`() throws {
        let readme = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Plugins/Retry/README.md")

        let text = try String(contentsOf: readme.standardizedFileURL, encoding: .utf8)

        #expect(text.contains("\n" + Simulation.table + "\n"), "It should have:\n\(Simulation.table)")
    }
}
