import PlugboardKit
import Testing

@testable import PlugboardRetry

struct CircuitBreakerTests {
    private let limits = CircuitBreaker.Limits(failures: 3, openTime: .seconds(10), probes: 2)

    @Test func `consecutive failures open the circuit, and a success resets their count`() {
        var breaker = CircuitBreaker()

        let changes = [.failing, .failing, .healthy, .failing, .failing, .unknown, .failing].map {
            breaker.record($0, permit: nil, at: .zero, limits)
        }

        #expect(changes == [nil, nil, nil, nil, nil, nil, .opened])
        #expect(breaker.state == .open(until: .seconds(10)))
    }

    @Test func `an open circuit refuses requests, and ignores late outcomes`() {
        var breaker = opened()

        let change = breaker.record(.healthy, permit: nil, at: .seconds(1), limits)
        let (admission, _) = breaker.admit(1, at: .seconds(4), limits)

        #expect(change == nil)
        #expect(admission == .refused(for: .seconds(6)))
    }

    @Test func `after its open time the circuit admits as many probes as must succeed`() {
        var breaker = opened()

        let admissions = (1...3).map { breaker.admit($0, at: .seconds(10), limits) }

        #expect(admissions.map(\.0) == [.probe(1), .probe(2), .refused(for: nil)])
        #expect(admissions.map(\.1) == [.halfOpened, nil, nil])
    }

    @Test func `the circuit closes when all probes have succeeded`() {
        var breaker = opened()
        _ = breaker.admit(1, at: .seconds(10), limits)
        _ = breaker.admit(2, at: .seconds(10), limits)

        let changes = [1, 2].map { breaker.record(.healthy, permit: $0, at: .seconds(11), limits) }

        #expect(changes == [nil, .closed])
        #expect(breaker.isFresh)
    }

    @Test func `one failed probe opens the circuit again for the whole time`() {
        var breaker = opened()
        _ = breaker.admit(1, at: .seconds(10), limits)
        _ = breaker.admit(2, at: .seconds(10), limits)

        let changes = [
            breaker.record(.healthy, permit: 1, at: .seconds(11), limits),
            breaker.record(.failing, permit: 2, at: .seconds(12), limits),
        ]

        #expect(changes == [nil, .opened])
        #expect(breaker.state == .open(until: .seconds(22)))
    }

    @Test func `a returned permit allows another probe`() {
        var breaker = opened()
        _ = breaker.admit(1, at: .seconds(10), limits)
        _ = breaker.admit(2, at: .seconds(10), limits)

        let change = breaker.record(.unknown, permit: 1, at: .seconds(11), limits)
        let (admission, _) = breaker.admit(3, at: .seconds(11), limits)

        #expect(change == nil)
        #expect(admission == .probe(3))
    }

    @Test(arguments: [nil, 1, 7] as [UInt64?])
    func `only current permits count while the circuit is half-open`(permit: UInt64?) {
        var breaker = opened()
        _ = breaker.admit(1, at: .seconds(10), limits)
        _ = breaker.record(.failing, permit: 1, at: .seconds(10), limits)
        _ = breaker.admit(2, at: .seconds(20), limits)

        let changes = [CircuitBreaker.Health.failing, .healthy, .unknown].map {
            breaker.record($0, permit: permit, at: .seconds(20), limits)
        }

        #expect(changes == [nil, nil, nil])
        #expect(breaker.state == .halfOpen(probing: [2], succeeded: 0))
    }

    private func opened() -> CircuitBreaker {
        var breaker = CircuitBreaker()
        for _ in 0..<3 { _ = breaker.record(.failing, permit: nil, at: .zero, limits) }
        return breaker
    }
}
