import Synchronization

/// Numbers by name that operators can read: the kernel's and the plugins'. [any]
final class Counters: Sendable {
    private struct State {
        var numbers: [String: UInt64] = [:]
        var values: [Int64] = []
    }

    private let state = Mutex(State())

    /// The number of the counter of this name, from 1 on; the counter is made if there is none.
    func number(of name: String) -> UInt64 {
        state.withLock { state in
            if let number = state.numbers[name] { return number }
            state.values.append(0)
            let number = UInt64(state.values.count)
            state.numbers[name] = number
            return number
        }
    }

    /// Ignores a number without a counter.
    func add(_ delta: Int64, to number: UInt64) {
        state.withLock { state in
            guard number >= 1, number <= UInt64(state.values.count) else { return }
            state.values[Int(number) - 1] &+= delta
        }
    }

    /// The values by name.
    var all: [String: Int64] {
        state.withLock { state in state.numbers.mapValues { state.values[Int($0) - 1] } }
    }
}
