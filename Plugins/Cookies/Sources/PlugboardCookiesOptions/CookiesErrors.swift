import PlugboardKit

extension PlugboardError.Code {
    /// A cookie set by command breaks a rule.
    public static let cookiesRefused: Self = "cookies.refused"
    /// A command lacks an argument, or has an invalid one.
    public static let cookiesArgument: Self = "cookies.argument"
    /// A file cannot be imported or exported.
    public static let cookiesFile: Self = "cookies.file"
}
