import Synchronization

/// Standard input, which one option at most can read.
enum StandardInput {
    private static let reader = Mutex<String?>(nil)

    /// To be called before it is read.
    ///
    /// - Parameter option: What reads it, for the error if something else does already.
    static func claim(for option: String) throws(CommandFailure) {
        let first = reader.withLock { reader -> String? in
            defer { reader = reader ?? option }
            return reader
        }
        guard let first else { return }
        throw CommandFailure(
            .usage,
            first == option
                ? "\(option) reads standard input twice; it can be read only once."
                : "\(first) and \(option) both read standard input; it can be read only once.")
    }
}
