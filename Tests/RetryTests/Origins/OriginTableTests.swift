import PlugboardKit
import Testing

@testable import PlugboardRetry

struct OriginTableTests {
    @Test func `successful origins have no entries`() throws {
        var table = OriginTable(.init(circuit: .init()))
        let origin = try origin(1)

        _ = table.admit(origin, at: .zero)
        _ = table.record(.healthy, of: origin, at: .zero)
        _ = table.record(.unknown, of: origin, at: .zero)
        table.giveBackToken(of: origin, at: .zero)

        #expect(table.entries.isEmpty)
    }

    @Test func `an origin that has recovered has no entry`() throws {
        var table = OriginTable(.init(circuit: .init()))
        let origin = try origin(1)

        _ = table.record(.failing, of: origin, at: .zero)
        let refusal = table.repeatRequest(to: origin, at: .zero)
        let counts = [Duration.zero, .milliseconds(500), .seconds(1)].map { now in
            _ = table.admit(origin, at: now)
            _ = table.record(.healthy, of: origin, at: now)
            return table.entries.count
        }

        #expect(refusal == nil)
        #expect(counts == [1, 1, 0])
    }

    @Test func `origins have budgets of their own`() throws {
        var table = OriginTable(.init(budget: .init(share: 0, perSecond: 0, size: 1)))

        let refusals = try [1, 1, 2, 2].map { table.repeatRequest(to: try origin($0), at: .zero) }

        #expect(refusals == [nil, .budget, nil, .budget])
    }

    @Test func `without budgets and breakers there is no limit and no entry`() throws {
        var table = OriginTable(.init(budget: nil))
        let origin = try origin(1)

        let refusals = (0..<1000).compactMap { _ in table.repeatRequest(to: origin, at: .zero) }

        #expect(refusals.isEmpty && table.entries.isEmpty)
    }

    @Test func `a circuit that is not closed refuses repetitions`() throws {
        var table = OriginTable(.init(circuit: .init(failures: 2, openTime: .seconds(10), probes: 1)))
        let origin = try origin(1)

        let first = table.record(.failing, of: origin, at: .zero)
        let repetition = table.repeatRequest(to: origin, at: .zero)
        let second = table.record(.failing, of: origin, at: .zero)

        #expect(first == nil && repetition == nil && second == .opened)
        #expect(table.repeatRequest(to: origin, at: .zero) == .circuit)
        #expect(table.repeatRequest(to: origin, at: .seconds(10)) == .circuit)
    }

    @Test func `above the limit the least recently used origin is removed`() throws {
        var table = OriginTable(.init(budget: .init(share: 0, perSecond: 0, size: 1), count: 3))

        for number in 1...3 {
            _ = table.repeatRequest(to: try origin(number), at: .milliseconds(number))
        }
        _ = table.admit(try origin(1), at: .milliseconds(4))
        _ = table.repeatRequest(to: try origin(4), at: .milliseconds(5))

        #expect(try Set(table.entries.keys) == Set([1, 3, 4].map { try origin($0) }))
    }

    @Test func `an unused origin is removed, unless its circuit is open`() throws {
        let limits = OriginTable.Limits(
            budget: .init(share: 0, perSecond: 0, size: 1),
            circuit: .init(failures: 1, openTime: .seconds(3600), probes: 1), idleTime: .seconds(600))
        var table = OriginTable(limits)

        _ = table.repeatRequest(to: try origin(1), at: .zero)
        _ = table.record(.failing, of: try origin(2), at: .zero)
        _ = table.admit(try origin(3), at: .seconds(601))
        let afterTen = table.entries.keys.map(\.description)
        _ = table.admit(try origin(3), at: .seconds(3601))

        #expect(afterTen == ["http://o2.test"])
        #expect(table.entries.isEmpty)
    }

    @Test func `thousands of failing origins stay within the limit`() throws {
        var table = OriginTable(.init(circuit: .init(), count: 10))

        for number in 0..<2000 {
            _ = table.record(.failing, of: try origin(number), at: .nanoseconds(number))
            _ = table.repeatRequest(to: try origin(number), at: .nanoseconds(number))
        }

        #expect(table.entries.count == 10)
    }

    private func origin(_ number: Int) throws -> Origin { try #require(Origin("http://o\(number).test")) }
}
