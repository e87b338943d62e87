import Synchronization

/// Takes progress from the loop, and shows it from a task: a terminal or a reader that has stopped does not stop the
/// loop. Of each file only the latest progress is shown.
final class ProgressRelay: Sendable {
    private let show: @Sendable (Int, String, TransferCount) -> Void
    private let latest = Mutex<[Int: (name: String, count: TransferCount)]>([:])
    /// Held while something is shown. Never taken on the loop.
    private let showing = Mutex(())
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init(_ show: @escaping @Sendable (Int, String, TransferCount) -> Void) {
        self.show = show
        (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// From any thread; does not wait.
    func put(_ index: Int, _ name: String, _ count: TransferCount) {
        latest.withLock { $0[index] = (name, count) }
        signal.yield()
    }

    /// Shows what comes, until `end`.
    func run() async {
        for await _ in signals {
            while showNext() {}
        }
    }

    private func showNext() -> Bool {
        showing.withLock { _ in
            let next = latest.withLock { latest in
                latest.keys.first.flatMap { index in latest.removeValue(forKey: index).map { (index, $0) } }
            }
            guard let (index, facts) = next else { return false }
            show(index, facts.name, facts.count)
            return true
        }
    }

    /// The file's transfer has ended: nothing of it is shown any more.
    func finish(_ index: Int) {
        showing.withLock { _ in latest.withLock { $0[index] = nil } }
    }

    func end() { signal.finish() }
}
