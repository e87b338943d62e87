import PlugboardSystem
import Synchronization

/// Standard input, which only one option can read.
enum StandardInput {
    private static let reader = Mutex<String?>(nil)

    /// Call this before reading it.
    ///
    /// - Parameter option: The option that reads it, for the error if two options do.
    static func claim(for option: String) throws(CommandFailure) {
        let first = reader.withLock { reader -> String? in
            defer { reader = reader ?? option }
            return reader
        }
        guard let first else {
            // Without it, the command seems to hang.
            if isatty(STDIN_FILENO) == 1 { StandardError.say("\(option) reads standard input; Ctrl-D ends it.") }
            return
        }
        throw CommandFailure(
            .usage,
            first == option
                ? "\(option) reads standard input twice; it can be read only once."
                : "\(first) and \(option) both read standard input; it can be read only once.")
    }

    /// The milliseconds after which a note on a terminal says that the command waits.
    private static let patience: Int32 = 1000

    /// What a file or another program gives without an option that asks for it; nil if it is empty, on a terminal, for
    /// a device, for a file whose beginning has been read, and where an option reads it. Blocks until the end.
    static func offered() throws(CommandFailure) -> [UInt8]? {
        var entry = stat()
        guard reader.withLock({ $0 == nil }), fstat(STDIN_FILENO, &entry) == 0,
            [S_IFIFO, S_IFREG, S_IFSOCK].contains(entry.st_mode & S_IFMT)
        else { return nil }
        // A shell or a loop that reads the same file stands behind its beginning: the rest is not meant as a body.
        if entry.st_mode & S_IFMT == S_IFREG, lseek(STDIN_FILENO, 0, SEEK_CUR) != 0 { return nil }
        try claim(for: "The body")
        var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        if StandardError.isTerminal, poll(&descriptor, 1, patience) == 0 {
            StandardError.say("The body is awaited on standard input; --ignore-stdin sends none.")
        }
        let bytes = try FileContents.ofStandardInput(advice: "--data-binary - sends any size.")
        return bytes.isEmpty ? nil : bytes
    }
}
