import PlugboardKit
import Testing

@testable import PlugboardRetry

struct RetryBudgetTests {
    private let limits = RetryBudget.Limits(share: 10, perSecond: 1, size: 3)

    @Test func `a new budget is full, and gives its size in tokens`() {
        var budget = RetryBudget(at: .zero, limits)

        let given = (0..<5).map { _ in budget.spend(at: .zero, limits) }

        #expect(given == [true, true, true, false, false])
    }

    @Test func `ten first attempts add one repetition`() {
        var budget = empty()

        let given = (0..<30).map { _ in
            budget.earn(at: .zero, limits)
            return budget.spend(at: .zero, limits)
        }

        #expect(given.enumerated().filter(\.element).map(\.offset) == [9, 19, 29])
    }

    @Test(arguments: [
        (Duration.milliseconds(999), 0), (.seconds(1), 1), (.milliseconds(2500), 2), (.seconds(60), 3),
        (.seconds(Int64.max / 2), 3),
    ])
    func `time adds repetitions, up to the limit`(passed: Duration, count: Int) {
        var budget = empty()

        let given = (0..<5).filter { _ in budget.spend(at: passed, limits) }.count

        #expect(given == count)
    }

    @Test func `a clock that goes back neither adds nor removes tokens`() {
        var budget = RetryBudget(at: .seconds(100), limits)

        let given = (0..<4).map { _ in budget.spend(at: .seconds(1), limits) }
        let later = budget.spend(at: .seconds(101), limits)

        #expect(given == [true, true, true, false])
        #expect(later)
    }

    @Test func `a returned token is added, up to the limit`() {
        var budget = RetryBudget(at: .zero, limits)

        _ = budget.spend(at: .zero, limits)
        budget.giveBack(limits)
        budget.giveBack(limits)

        #expect(budget.isFull(at: .zero, limits))
        #expect(budget.tokens(at: .zero, limits) == 3)
    }

    private func empty() -> RetryBudget {
        var budget = RetryBudget(at: .zero, limits)
        while budget.spend(at: .zero, limits) {}
        return budget
    }
}
