import Synchronization

/// Numbers that operators can read. From any thread.
final class Counters: Sendable {
    private struct State {
        var numbers: [String: UInt64] = [:]
        var values: [Int64] = []
    }

    private let state = Mutex(State())

    /// The counter of this name, counted from 1; made if there is none yet.
    func number(of name: String) -> UInt64 {
        state.withLock { state in
            if let number = state.numbers[name] { return number }
            state.values.append(0)
            let number = UInt64(state.values.count)
            state.numbers[name] = number
            return number
        }
    }

    func add(_ delta: Int64, to number: UInt64) {
        state.withLock { state in
            guard number >= 1, number <= UInt64(state.values.count) else { return }
            state.values[Int(number) - 1] &+= delta
        }
    }

    var all: [String: Int64] {
        state.withLock { state in state.numbers.mapValues { state.values[Int($0) - 1] } }
    }
}
