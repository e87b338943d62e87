/// How a turn closed.
public enum TurnOutcome: UInt32, Sendable {
    /// The body came to its end, or there was no body.
    case ended
    /// A plugin further out responded in its place.
    case replaced
    /// A plugin further out sent the request again.
    case resent
    /// There was no response, or its body broke.
    case failed
    /// Cancelled, timed out as a whole, or not read to its end.
    case cancelled

    /// The name of the case. Interpolation would have to find it out by reflection.
    package var name: String {
        switch self {
        case .ended: "ended"
        case .replaced: "replaced"
        case .resent: "resent"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }
}
