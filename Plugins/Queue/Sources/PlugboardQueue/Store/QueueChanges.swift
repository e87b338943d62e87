import Synchronization

/// Leads from the engine, which is made first, to the replayer that its changes wake.
final class QueueChanges: Sendable {
    private struct Known {
        weak var replayer: Replayer?
    }

    private let known = Mutex(Known())

    var replayer: Replayer? {
        get { known.withLock { $0.replayer } }
        set { known.withLock { $0.replayer = newValue } }
    }
}
