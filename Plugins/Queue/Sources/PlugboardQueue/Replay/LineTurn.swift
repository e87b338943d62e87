/// The place of an exchange among those of its line, until the exchange has ended.
final class LineTurn: Sendable {
    private let replayer: Replayer
    private let line: String
    private let number: UInt64

    init(_ replayer: Replayer, _ line: String, _ number: UInt64) {
        self.replayer = replayer
        self.line = line
        self.number = number
    }

    /// The wait is over. Returns whether the request may be sent; else it has to be put into the file.
    func begin() -> Bool { replayer.state.withLock { $0.lines.begin(line, number) } }

    // The exchange may end at any time, and lets go of this then.
    deinit { replayer.leave(line, number) }
}
