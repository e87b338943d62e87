import CPlugboard
import PlugboardKit

/// The outstanding answers of commands: each is given once.
final class Replies: Sendable {
    typealias Continuation = UnsafeContinuation<Result<CommandReply, PlugboardError>, Never>

    private let waiting = Registry<Continuation>()

    /// A number for an answer that nobody waits for yet.
    func reserve() -> UInt64 { waiting.reserve() }

    func wait(for number: UInt64, _ continuation: Continuation) { waiting.set(number, to: continuation) }

    /// Nobody will answer any more.
    func failAll(_ error: PlugboardError) {
        for continuation in waiting.removeAll() { continuation.resume(returning: .failure(error)) }
    }

    func answer(_ number: UInt64, _ answer: Result<CommandReply, PlugboardError>) -> UInt32 {
        guard let continuation = waiting.remove(number) else { return PLUG_STALE }
        continuation.resume(returning: answer)
        return PLUG_OK
    }
}
