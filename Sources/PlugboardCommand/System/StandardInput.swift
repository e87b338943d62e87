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
}
