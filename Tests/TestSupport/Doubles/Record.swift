import Synchronization

/// A list of events in order. Any thread may add to it.
package final class Record: Sendable {
    private let state = Mutex<[String]>([])

    package init() {}

    package func add(_ line: String) { state.withLock { $0.append(line) } }
    package var lines: [String] { state.withLock { $0 } }
}
