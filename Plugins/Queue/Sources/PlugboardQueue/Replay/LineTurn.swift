import PlugboardKit

/// The place of an exchange among those of its line, until it has its outcome or is in the file.
final class LineTurn: Sendable {
    private let replayer: Replayer
    private let line: String
    private let number: UInt64

    init(_ replayer: Replayer, _ line: String, _ number: UInt64) {
        self.replayer = replayer
        self.line = line
        self.number = number
    }

    /// The exchange was woken, or has waited for as long as it can.
    func step() -> Lines<Ticket>.Step { replayer.changeLines { $0.lines.step(line, number) } }

    /// The request was handed to the file, where it is before those that are handed later.
    func place() { replayer.changeLines { $0.lines.place(line, number) } }

    /// The exchange waits on, and is woken when its turn has come.
    func wait(_ ticket: Ticket) {
        let waits = replayer.changeLines { $0.lines.wait(line, number, ticket) }
        if !waits { ticket.wake() }
    }

    // The exchange may end at any time, and lets go of this then.
    deinit { replayer.leave(line, number) }
}
