import PlugboardKit
import PlugboardLoggingOptions
import PlugboardObserving
import Synchronization

/// Where lines go: to the kernel's log, or to a file.
///
/// Lines for the file wait in memory until a thread of the kernel has written them. Lines beyond a limit are dropped
/// and counted. [any]
final class LogTarget: Sendable {
    private static let limit = 10_000

    private struct State {
        var lines: [String] = []
        var dropped = 0
        var isWriting = false
        var hasFailed = false
    }

    private let host: PluginHost
    private let file: LineFile?
    private let hasPrefix: Bool
    private let state = Mutex(State())

    init(_ settings: LoggingSettings, _ host: PluginHost) {
        self.host = host
        file = settings.path.map { path in
            LineFile(
                host.configuredPath(path),
                LineFile.Rotation(
                    size: settings.rotateSize.bytes == 0 ? nil : settings.rotateSize.bytes,
                    age: settings.rotateAge == .zero ? nil : settings.rotateAge, count: settings.rotateCount))
        }
        hasPrefix = settings.format == .line || settings.format == .full
    }

    /// Takes a text that is safe for a terminal; its further lines are indented.
    func write(_ level: LogLevel, _ text: String) {
        guard file != nil else { return host.log(level, text) }
        let line = hasPrefix ? "\(host.wallClock.timestamp) \(level) \(text)" : text
        let isFirst = state.withLock { state in
            guard state.lines.count < LogTarget.limit else {
                state.dropped += 1
                return false
            }
            state.lines.append(line)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        // The kernel ends: `finish` writes what waits.
        if isFirst, !host.runBlocking({ [self] in drain() }) { state.withLock { $0.isWriting = false } }
    }

    /// Writes what waits. Blocks.
    func drain() {
        while let text = take() {
            guard let error = file?.append(text) else { continue }
            let isFirst = state.withLock { state in
                defer { state.hasFailed = true }
                return !state.hasFailed
            }
            if isFirst { host.log(.warning, "\(error) The lines for it are lost.") }
        }
    }

    private func take() -> String? {
        state.withLock { state in
            if state.dropped > 0 { state.lines.append("\(state.dropped) lines were dropped: the disk is too slow.") }
            let lines = state.lines
            (state.lines, state.dropped) = ([], 0)
            if lines.isEmpty { state.isWriting = false }
            return lines.isEmpty ? nil : lines.joined(separator: "\n")
        }
    }
}
