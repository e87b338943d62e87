import PlugboardKit

extension PlugboardError.Code {
    /// The origin failed too often of late, and is left alone for a while.
    public static let retryCircuitOpen: Self = "retry.circuitOpen"
}
