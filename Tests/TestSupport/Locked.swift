import Synchronization

/// A value under a lock, in an object that several closures share.
package final class Locked<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    package init(_ value: Value) { self.value = Mutex(value) }

    package func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        value.withLock { value in
            var copy = value
            let result = body(&copy)
            value = copy
            return result
        }
    }
}
