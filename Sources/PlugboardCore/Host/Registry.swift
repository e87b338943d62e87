import Synchronization

/// Objects that plugins refer to by a number, which is never used again: tickets, pulls, replies, timers. [any]
///
/// A late or second use of a number finds nothing: it gives an error code and never a crash.
final class Registry<Value: Sendable>: Sendable {
    private struct State {
        var last: UInt64
        var values: [UInt64: Value] = [:]
    }

    private let state: Mutex<State>
    private let step: UInt64

    /// - Parameters:
    ///   - index: The remainder of all its numbers divided by `count`, so that several registries share the numbers.
    ///   - count: How many registries share them.
    init(_ index: Int = 0, of count: Int = 1) {
        state = Mutex(State(last: UInt64(index)))
        step = UInt64(count)
    }

    func add(_ value: Value) -> UInt64 {
        state.withLock { state in
            state.last += step
            state.values[state.last] = value
            return state.last
        }
    }

    /// A number that refers to nothing until it is `set`.
    func reserve() -> UInt64 {
        state.withLock { state in
            state.last += step
            return state.last
        }
    }

    /// - Parameter number: The number from `reserve`; set once.
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
