/// The severity of a log line; a greater level is more severe.
public enum LogLevel: UInt32, Sendable, Comparable, CaseIterable, CustomStringConvertible {
    /// The levels, from the least important to the most important.
    case debug, info, warning, error
    /// The case's name. Written here, because looking it up takes longer than a line of a log.
    public var description: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }

    /// Compares severities.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}
