import PlugboardKit

/// What the cache remembers of a request that it let pass, until its turn is over. Touched by hooks only, which never overlap.
final class CacheTurn {
    let question: Question
    var forward: Forward
    /// Since 1970.
    let requested: Duration
    /// What others wait for, where this request leads.
    let flight: Flight?
    /// Whether it waited for an identical one before.
    let isCollapsed: Bool
    var recording: Recording?
    /// The bodies that the answer may need, by their entries' ids: the store keeps them while they are here.
    let kept: [Int64: any StoredSource]

    init(
        _ question: Question, _ forward: Forward, requested: Duration, flight: Flight?, isCollapsed: Bool,
        kept: [Int64: any StoredSource]
    ) {
        self.kept = kept
        self.question = question
        self.forward = forward
        self.requested = requested
        self.flight = flight
        self.isCollapsed = isCollapsed
    }
}
