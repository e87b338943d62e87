import PlugboardKit
import PlugboardLoggingOptions
import PlugboardObserving
import Synchronization

/// Where lines go: to the kernel's log, or to a file.
///
/// Lines for the file wait in memory until a thread of the kernel has written them. Lines beyond a limit are dropped
/// and counted. [any]
final class LogTarget: Sendable {
    /// The most bytes that wait.
    private static let limit = 8 << 20
    /// The bytes that are written at a time, if the next line is not larger.
    private static let pieceSize = 256 << 10

    /// A line that waits. Its text is made when it is written, off the loop.
    private struct Line {
        /// Nil in formats whose lines have neither.
        let head: (time: Duration, level: LogLevel)?
        let text: LogText.Deferred

        /// The approximate memory in bytes, with that of its closure and what it refers to.
        var size: Int { text.size + 512 }
        var whole: String { head.map { "\($0.time.timestamp) \($0.level) \(text.make())" } ?? text.make() }
    }

    private struct State {
        var lines: [Line] = []
        var size = 0
        var dropped = 0
        var isWriting = false
        var hasFailed = false
    }

    private let host: PluginHost
    private let file: LineFile?
    private let format: LoggingSettings.Format
    private let state = Mutex(State())
    /// Held while lines are taken and written, so that they keep their order if two threads drain.
    private let order = Mutex(())

    init(_ settings: LoggingSettings, _ host: PluginHost) {
        self.host = host
        file = settings.path.map { path in
            LineFile(
                host.configuredPath(path),
                LineFile.Rotation(
                    size: settings.rotateSize.bytes == 0 ? nil : settings.rotateSize.bytes,
                    age: settings.rotateAge == .zero ? nil : settings.rotateAge, count: settings.rotateCount))
        }
        format = settings.format
    }

    /// Takes a text that is safe for a terminal, and whose further lines are indented.
    func write(_ level: LogLevel, _ text: LogText.Deferred) {
        guard file != nil else { return host.log(level, text.make()) }
        let line = Line(head: hasHeads ? (host.wallClock, level) : nil, text: text)
        let size = line.size
        let isFirst = state.withLock { state in
            guard state.size + size <= LogTarget.limit else {
                state.dropped += 1
                return false
            }
            state.lines.append(line)
            state.size += size
            defer { state.isWriting = true }
            return !state.isWriting
        }
        // The kernel ends: `stop` writes what waits.
        if isFirst, !host.runBlocking({ [self] in drain() }) { state.withLock { $0.isWriting = false } }
    }

    /// Writes what waits. Blocks.
    func drain() {
        while let result = order.withLock({ _ in take().map { file?.append($0) } }) {
            guard let error = result else {
                state.withLock { $0.hasFailed = false }
                continue
            }
            let isFirst = state.withLock { state in
                defer { state.hasFailed = true }
                return !state.hasFailed
            }
            if isFirst { host.log(.warning, "\(error) Lines for it are lost until it can be written.") }
        }
    }

    /// Lines of the size of a piece, or one larger line.
    private func take() -> String? {
        let lines = state.withLock { state in
            if state.lines.isEmpty, state.dropped > 0 {
                let (head, note) = (hasHeads ? (host.wallClock, LogLevel.warning) : nil, note(state.dropped))
                let line = Line(head: head, text: LogText.Deferred(size: note.utf8.count) { note })
                state.lines.append(line)
                state.size += line.size
                state.dropped = 0
            }
            var (count, size) = (0, 0)
            while count < state.lines.count {
                let next = state.lines[count].size
                if count > 0, size + next > LogTarget.pieceSize { break }
                (count, size) = (count + 1, size + next)
            }
            if count == 0 { state.isWriting = false }
            defer {
                state.lines.removeFirst(count)
                state.size = max(state.size - size, 0)
            }
            // A copy, so that to remove them does not copy the others.
            return Array(state.lines.prefix(count))
        }
        return lines.isEmpty ? nil : lines.map(\.whole).joined(separator: "\n")
    }

    private var hasHeads: Bool { format == .line || format == .full }

    /// A line of the file's format.
    private func note(_ dropped: Int) -> String {
        switch format {
        case .json: #"{"dropped":\#(dropped)}"#
        case .curl: "# \(dropped) lines were dropped, because the disk is too slow"
        case .line, .full: "\(dropped) lines were dropped, because the disk is too slow."
        }
    }
}
