import PlugboardCacheOptions
import PlugboardKit

/// A body that is not stored any more.
final class BrokenSource: StoredSource {
    private let error: PlugboardError

    init(_ error: PlugboardError) { self.error = error }

    var length: Int? { nil }
    // False, so that `prepare` is called and the request continues as if the entry did not exist.
    var isAtHand: Bool { false }
    func prepare(_ done: @escaping @Sendable (Bool) -> Void) { done(false) }
    func nextIfReady() -> Piece? { .broken(error) }
    func pull(_ pull: Pull) { pull.fail(error) }
}

extension PlugboardError {
    /// A piece differs from what was stored.
    static let damaged = PlugboardError(
        .cacheDamaged, "The stored body is damaged. Its entry has been removed; send the request again.")
    /// The body was removed before it was read to its end.
    static let removed = PlugboardError(
        .cacheRemoved, "The stored body was removed while it was read. Send the request again.")
    /// The store's file cannot be read.
    static let unreadable = PlugboardError(
        .cacheUnreadable, "The stored body cannot be read. Send the request again.")
}
