import PlugboardKit

/// The place of an exchange in its line, until it has its outcome or is in the file.
final class LineTurn: Sendable {
    private let replayer: Replayer
    private let line: String
    private let number: UInt64

    init(_ replayer: Replayer, _ line: String, _ number: UInt64) {
        self.replayer = replayer
        self.line = line
        self.number = number
    }

    /// Called when the exchange was woken, or when its time to wait is over.
    func step() -> Lines<Ticket>.Step { replayer.changeLines { $0.lines.step(line, number) } }

    /// Called when the request was handed to the file, in which it precedes later ones.
    func place() { replayer.changeLines { $0.lines.place(line, number) } }

    /// Lets the exchange wait again. It is woken when its turn has come.
    func wait(_ ticket: Ticket) {
        let waits = replayer.changeLines { $0.lines.wait(line, number, ticket) }
        if !waits { ticket.wake() }
    }

    // The exchange may end at any time, and then releases this object.
    deinit { replayer.leave(line, number) }
}
