import Synchronization

/// Objects that plugins refer to by a number, which is never used again: tickets, pulls, replies, timers. [any]
///
/// A late or second use of a number finds nothing: it gives an error code and never a crash.
final class Registry<Value: Sendable>: Sendable {
    private struct State {
        var last: UInt64 = 0
        var values: [UInt64: Value] = [:]
    }

    private let state = Mutex(State())

    func add(_ value: Value) -> UInt64 {
        state.withLock { state in
            state.last += 1
            state.values[state.last] = value
            return state.last
        }
    }

    /// A number that refers to nothing until it is `set`.
    func reserve() -> UInt64 {
        state.withLock { state in
            state.last += 1
            return state.last
        }
    }

    /// - Parameter number: From `reserve`; set once.
    func set(_ number: UInt64, to value: Value) { state.withLock { $0.values[number] = value } }

    subscript(number: UInt64) -> Value? { state.withLock { $0.values[number] } }

    /// Takes out all values.
    func removeAll() -> [Value] {
        state.withLock { state in
            defer { state.values = [:] }
            return Array(state.values.values)
        }
    }

    @discardableResult
    func remove(_ number: UInt64) -> Value? {
        state.withLock { $0.values.removeValue(forKey: number) }
    }
}
