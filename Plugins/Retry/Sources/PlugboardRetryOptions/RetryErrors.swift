import PlugboardKit

extension PlugboardError.Code {
    /// The origin failed too often recently, so its circuit is open and nothing was sent.
    public static let retryCircuitOpen: Self = "retry.circuitOpen"
}
