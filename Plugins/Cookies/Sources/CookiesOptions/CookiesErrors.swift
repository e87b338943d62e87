import PlugboardKit

extension PlugboardError.Code {
    /// A cookie set by hand is against the rules.
    public static let cookiesRefused: Self = "cookies.refused"
    /// A command lacks an argument, or has one that means nothing.
    public static let cookiesArgument: Self = "cookies.argument"
    /// A file to import cannot be read, or one to export not be written.
    public static let cookiesFile: Self = "cookies.file"
}
