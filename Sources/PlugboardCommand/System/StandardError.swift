import PlugboardSystem

/// Standard error, for everything but bodies and results. It is used from any thread. Each text is one system call, so
/// that lines do not mix.
enum StandardError {
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether it is a terminal with control sequences.
    static var canBeDrawnOn: Bool { isTerminal && hasControlSequences }

    /// Whether the user's terminal has control sequences, if there is one.
    static var hasControlSequences: Bool { environment("TERM") != "dumb" }

    /// Writes to a file from now on; `-` is standard output. A file that cannot be written is a warning, as for curl.
    static func redirect(to path: String) {
        if path == "-" {
            dup2(STDOUT_FILENO, STDERR_FILENO)
            return
        }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { return warn("--stderr: \(path) cannot be written: \(systemText(errno))") }
        dup2(descriptor, STDERR_FILENO)
        close(descriptor)
    }

    /// Writes a line that begins with the name of the command.
    static func say(_ message: String) { write("plugboard: \(message)\n") }

    /// Writes a warning, and a full stop if it has none.
    static func warn(_ warning: String) { say("warning: \(warning)\(warning.hasSuffix("?") ? "" : ".")") }

    /// Writes text with control characters escaped. A failure cannot be reported anywhere, so it is ignored.
    static func write(_ text: String) { draw(VisibleText.of(text)) }

    /// Writes text unchanged, with control sequences of this command.
    static func draw(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            _ = writeAll(UnsafeRawBufferPointer(bytes), to: STDERR_FILENO)
        }
    }
}
