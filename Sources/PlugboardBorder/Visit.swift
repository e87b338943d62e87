/// Why a hook runs: the first time, or again.
public enum Visit: UInt32, Sendable {
    /// The hook's first call for this head, not one after a hold or a wait.
    case first
    /// The ticket was woken.
    case woken
    /// The time of the wait has passed.
    case deadline
    /// The whole body is there: `Exchange.withHeldBody(_:)`.
    case held
    /// The body is larger than the hold's limit. It is complete again and will flow on.
    case overLimit
}
