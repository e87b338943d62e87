import CPlugboard
import PlugboardBorder

/// The replies to commands that are still awaited: each comes once.
final class Replies: Sendable {
    typealias Continuation = UnsafeContinuation<Result<CommandReply, PlugboardError>, Never>

    private let waiting = Registry<Continuation>()

    /// A number for a reply that no task waits for yet.
    func reserve() -> UInt64 { waiting.reserve() }

    func wait(for number: UInt64, _ continuation: Continuation) { waiting.set(number, to: continuation) }

    /// Fails all awaited replies, because no more will come.
    func failAll(_ error: PlugboardError) {
        for continuation in waiting.removeAll() { continuation.resume(returning: .failure(error)) }
    }

    /// Gives a reply to the task that waits for it. `PLUG_STALE` if there was one before.
    func reply(to number: UInt64, _ reply: Result<CommandReply, PlugboardError>) -> UInt32 {
        guard let continuation = waiting.remove(number) else { return PLUG_STALE }
        continuation.resume(returning: reply)
        return PLUG_OK
    }
}
