import PlugboardKit

extension PlugboardError.Code {
    /// A check cannot run, because the system gives no process, pipe, folder or memory.
    static let checkSystem: Self = "check.system"
    /// A neighbour of the checked plugin fails the exchange on purpose.
    static let checkFailed: Self = "check.failed"
    /// The sample response or request of a check cannot be read.
    static let checkSample: Self = "check.sample"
}
