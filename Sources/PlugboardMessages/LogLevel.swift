/// The severity of a log line; a greater level is more severe.
public enum LogLevel: UInt32, Sendable, Comparable, CaseIterable {
    /// From the least important to the most important.
    case debug, info, warning, error
    /// Compares severities.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}
