import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A terminal that one indicator of the process draws on.
///
/// Each drawing leaves the cursor at the beginning of its first line, and the next one clears what is below. So lines
/// that others write meanwhile move the drawing down and are not overwritten by it.
final class Terminal: Sendable {
    private static let isTaken = Mutex(false)

    private let descriptor: Int32
    private let isOwn: Bool

    /// Nil if it is no terminal, or another indicator of this process draws already.
    ///
    /// - Parameter path: Empty for standard error.
    init?(_ path: String) {
        guard getenv("TERM").map({ String(cString: $0) }) != "dumb" else { return nil }
        isOwn = !path.isEmpty
        descriptor = isOwn ? open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) : STDERR_FILENO
        guard descriptor >= 0 else { return nil }
        guard isatty(descriptor) == 1, Terminal.take() else {
            if isOwn { close(descriptor) }
            return nil
        }
    }

    deinit {
        if isOwn { close(descriptor) }
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

    /// Draws these lines in place of the last ones; none clears them.
    func draw(_ lines: [String]) {
        var text = "\r" + lines.map { "\($0)\u{1B}[K" }.joined(separator: "\n") + "\u{1B}[J"
        if lines.count > 1 { text += "\u{1B}[\(lines.count - 1)A" }
        text += "\r"
        // A terminal that was stopped (Ctrl-S) must not stop the loop: the drawing is left out.
        var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&wanted, 1, 0) == 1, wanted.revents & Int16(POLLOUT) != 0 else { return }
        text.withUTF8 { bytes in _ = write(descriptor, bytes.baseAddress, bytes.count) }
    }
}
