import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The terminal, which only one indicator of the process may draw on.
///
/// A drawing occupies the lines below the cursor, which does not move, so that the output of others continues its line
/// and is not erased. The next drawing clears everything below the cursor.
///
/// Nothing here blocks. Output that a stopped terminal (Ctrl-S) does not accept is kept, and only the latest drawing
/// follows it.
final class Terminal: Sendable {
    private static let isTaken = Mutex(false)

    private struct Output {
        /// The end of a drawing whose beginning the terminal has accepted.
        var rest: [UInt8] = []
        /// The latest drawing, if the terminal has accepted nothing of it.
        var next: [UInt8]?
    }

    private let descriptor: Int32
    private let output = Mutex(Output())

    /// Nil if it is not a terminal, it cannot be opened, or another indicator of this process draws already.
    ///
    /// - Parameter path: Empty for standard error.
    init?(_ path: String, standardError: Int32 = STDERR_FILENO) {
        guard getenv("TERM").map({ String(cString: $0) }) != "dumb" else { return nil }
        guard !path.isEmpty || isatty(standardError) == 1 else { return nil }
        // Opened again, because O_NONBLOCK on standard error itself would apply to all that share it.
        descriptor = open(
            path.isEmpty ? "/proc/self/fd/\(standardError)" : path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        guard isatty(descriptor) == 1, Terminal.take() else {
            close(descriptor)
            return nil
        }
    }

    deinit {
        close(descriptor)
        Terminal.isTaken.withLock { $0 = false }
    }

    private static func take() -> Bool {
        isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }

    var columns: Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Whether the terminal has not accepted everything.
    var isBehind: Bool { output.withLock { !$0.rest.isEmpty || $0.next != nil } }

    /// Draws these lines in place of the last ones; none clears them.
    func draw(_ lines: [String]) {
        // Clears to the end of the screen.
        var text = "\u{1B}[J"
        if !lines.isEmpty {
            // Makes room (IND scrolls at the last line), and returns.
            text += String(repeating: "\u{1B}D", count: lines.count) + "\u{1B}[\(lines.count)A"
            // Keeps the cursor (DECSC), and restores it (DECRC).
            text += "\u{1B}7" + lines.map { "\r\n\($0)" }.joined() + "\u{1B}8"
        }
        output.withLock { output in
            output.next = Array(text.utf8)
            write(&output)
        }
    }

    /// Writes what the terminal has not accepted yet, as far as it accepts it now.
    func flush() { output.withLock { write(&$0) } }

    private func write(_ output: inout Output) {
        while true {
            if output.rest.isEmpty {
                guard let next = output.next else { return }
                output.rest = next
                output.next = nil
            }
            let count = Terminal.write(descriptor, output.rest)
            if count < 0 && errno == EAGAIN { return }
            // A closed terminal accepts nothing more.
            output.rest.removeFirst(count < 0 ? output.rest.count : count)
        }
    }

    private static func write(_ descriptor: Int32, _ bytes: [UInt8]) -> Int {
        while true {
            #if canImport(Glibc)
                let count = Glibc.write(descriptor, bytes, bytes.count)
            #elseif canImport(Musl)
                let count = Musl.write(descriptor, bytes, bytes.count)
            #endif
            if count >= 0 || errno != EINTR { return count }
        }
    }
}
