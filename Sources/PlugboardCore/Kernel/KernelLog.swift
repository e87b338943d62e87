import PlugboardBorder
import PlugboardSystem

/// The log of the kernel and its plugins.
///
/// The default writes them to standard error. A program that has a log of its own hands in a closure, which is called
/// from any thread and must not block for long.
public struct KernelLog: Sendable {
    /// The lowest level that is written.
    public let level: LogLevel
    private let sink: @Sendable (Line) -> Void
    private let wantsExchanges: Bool

    /// A line, for a log with structure.
    public struct Line: Sendable {
        /// How important it is; at least the log's own level.
        public let level: LogLevel
        /// The id of the plugin that wrote it, or `kernel`.
        public let source: String
        /// What it says. A plugin's text may come from a server: `Printable.text` makes it safe for a terminal.
        public let text: String
        /// The exchange whose hook wrote it; nil for lines that no hook of an exchange wrote.
        public let exchange: ObservedExchange?
    }

    /// A log that calls a closure for each line of at least `level`: with the level, the plugin's id or `kernel`, and
    /// the text. The closure is called from any thread and must not block for long.
    public init(
        level: LogLevel, _ sink: @escaping @Sendable (LogLevel, _ source: String, _ text: String) -> Void
    ) {
        self.level = level
        self.sink = { sink($0.level, $0.source, $0.text) }
        wantsExchanges = false
    }

    /// A log that calls a closure for each line of at least `level`, with the exchange that the line is about. The
    /// closure is called from any thread and must not block for long.
    public init(level: LogLevel, lines sink: @escaping @Sendable (Line) -> Void) {
        self.level = level
        self.sink = sink
        wantsExchanges = true
    }

    /// `plugboard: warning: cache: …` on standard error, in the form of `Printable`; further lines of one text
    /// are indented. On a terminal, warnings are yellow and errors red, unless the environment has NO_COLOR.
    public static func standardError(level: LogLevel = .warning) -> KernelLog {
        let isColoured =
            isatty(STDERR_FILENO) == 1 && environment("TERM") != "dumb" && environment("NO_COLOR") ?? "" == ""
        return KernelLog(level: level) { level, source, text in
            var line = standardErrorText(level, source, text)
            if isColoured, level >= .warning {
                line = "\u{1B}[\(level == .error ? 31 : 33)m\(line.dropLast())\u{1B}[0m\n"
            }
            // One call for each line, so that lines of several threads do not mix.
            line.withUTF8 { _ = writeToStandardError($0.baseAddress, $0.count) }
        }
    }

    /// A line of the log with its line end, as it is written to standard error. What a plugin logs may come from a
    /// server, and must neither control a terminal nor look like a line of another source.
    package static func standardErrorText(_ level: LogLevel, _ source: String, _ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
            (index == 0 || line.hasPrefix("    ") ? "" : "    ") + Printable.text(String(line))
        }
        return "plugboard: \(level): \(source): \(lines.joined(separator: "\n"))\n"
    }

    /// Writes nothing.
    public static var silent: KernelLog { KernelLog(level: .error) { _, _, _ in } }

    func write(
        _ level: LogLevel, _ source: String, _ text: @autoclosure () -> String,
        in exchange: @autoclosure () -> ExchangeCore? = nil
    ) {
        guard level >= self.level else { return }
        let exchange = wantsExchanges ? exchange().map { ObservedExchange($0) } : nil
        sink(Line(level: level, source: source, text: text(), exchange: exchange))
    }
}

private func writeToStandardError(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int {
    write(STDERR_FILENO, bytes, count)
}
