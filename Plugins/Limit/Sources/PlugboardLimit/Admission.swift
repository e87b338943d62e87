/// What one turn, or an exchange without one, has of the keys of its rules.
///
///     waiting ─▶ granted ─▶ begun ─▶ left
///
/// Sendable because it is touched only under the lock of `Limits`.
final class Admission: @unchecked Sendable {
    enum Step { case waiting, granted, begun, left }

    /// The keys of most parts first; the keys of attempts that went elsewhere follow.
    var keys: [LimitedKey]
    /// Numbers rise in the order in which admissions are made.
    let number: Int
    /// Whether it never waits for a place at once: the request that it is for may have that place.
    let isSubrequest: Bool
    var step = Step.waiting
    /// Whether the keys keep room of their rates for its first attempt.
    var isPromised = false
    /// The key whose queue it is in.
    var place: LimitedKey?
    /// Its index in the heap of that queue.
    var index = 0
    /// Lets the exchange go on.
    var wake: (@Sendable () -> Void)?

    init(_ keys: [LimitedKey], _ number: Int, _ isSubrequest: Bool) {
        (self.keys, self.number, self.isSubrequest) = (keys, number, isSubrequest)
    }
}
