import PlugboardKit

extension PlugboardError.Code {
    /// A check cannot run, because the system gives no process, pipe, folder or memory.
    static let checkSystem: Self = "check.system"
    /// A neighbour of the checked plugin fails the exchange on purpose.
    static let checkFailed: Self = "check.failed"
    /// The sample response of a check is not a valid HTTP response.
    static let checkSample: Self = "check.sample"
}
