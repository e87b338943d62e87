import PlugboardMessages
import PlugboardSystem
import Synchronization

/// A result that one thread sets and another waits for.
final class Outcome<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, SQLiteFailure>>(.failure(.closed))
    private let isSet = Semaphore()

    func set(_ value: Result<Value, SQLiteFailure>) {
        result.withLock { $0 = value }
        isSet.signal()
    }

    func wait() -> Result<Value, SQLiteFailure> {
        isSet.wait()
        return result.withLock { $0 }
    }
}
