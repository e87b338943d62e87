/// The progress of a run of checks.
package enum CheckProgress: Sendable, Equatable {
    /// The checks with these names run now.
    case running([String])
    /// A check has ended.
    case ended(CheckResult)
}
