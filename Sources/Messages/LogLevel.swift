/// How much a line of a log matters: of two levels the greater matters more.
public enum LogLevel: UInt32, Sendable, Comparable, CaseIterable {
    case debug, info, warning, error
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}
