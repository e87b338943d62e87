/// How far a run of checks has come.
public enum CheckProgress: Sendable, Equatable {
    /// These checks run now.
    case running([String])
    case ended(CheckResult)
}
