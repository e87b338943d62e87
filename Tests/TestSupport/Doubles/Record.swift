import Synchronization

/// What happened, in order, from whatever thread.
package final class Record: Sendable {
    private let state = Mutex<[String]>([])

    package init() {}

    package func add(_ line: String) { state.withLock { $0.append(line) } }
    package var lines: [String] { state.withLock { $0 } }
}
