/// The admission of one exchange by its limits: it waits in their queues, and then counts in them until it leaves.
///
///     waiting ─▶ granted ─▶ begun ─▶ left
///
/// Sendable because it is touched only under the lock of `Limits`.
final class Admission: @unchecked Sendable {
    enum Step { case waiting, granted, begun, left }

    /// The keys of its rules, those of most parts first. Keys of attempts that went to another URL follow.
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
