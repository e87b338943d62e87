import PlugboardJSON
import PlugboardKit
import PlugboardSystem

/// A file or standard output. Writing blocks until a signal tells the command to end and the reader takes nothing.
final class ByteOutput: Sendable {
    static let standard = ByteOutput(descriptor: STDOUT_FILENO, name: "standard output", isOwned: false)

    private let descriptor: Int32
    private let name: String
    private let isOwned: Bool
    /// Whether it is a file, which takes all bytes at once, unlike a pipe, a socket or a terminal.
    private let isFile: Bool
    /// The bytes that a pipe takes at once where it takes any (PIPE_BUF, pipe(7)).
    private static let pieceSize = 4096
    /// Milliseconds that a reader has for taking a piece after the signal.
    private static let patience: Int32 = 250

    private init(descriptor: Int32, name: String, isOwned: Bool) {
        self.descriptor = descriptor
        self.name = name
        self.isOwned = isOwned
        var status = stat()
        isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Creates the file, or truncates it.
    ///
    /// - Parameter flag: What else to do with a file that exists: O_APPEND or O_EXCL.
    convenience init(path: String, _ flag: Int32 = O_TRUNC, mode: mode_t = 0o666) throws(CommandFailure) {
        let file = open(path, O_WRONLY | O_CREAT | flag | O_CLOEXEC, mode)
        guard file >= 0 else { throw CommandFailure(.write, "\(path) cannot be written: \(systemText(errno)).") }
        self.init(descriptor: file, name: path, isOwned: true)
    }

    deinit { if isOwned { close(descriptor) } }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes all bytes. The error has no message if the reader of a pipe has closed it, as in other programs, or after
    /// a signal.
    func write(_ bytes: Bytes) throws(CommandFailure) {
        let failure = bytes.withUnsafeBytes { isFile ? writeAll($0, to: descriptor) : writeInPieces($0) }
        guard let number = failure else { return }
        if number == EINTR { throw CommandFailure(.interrupted, nil) }
        throw CommandFailure(.write, number == EPIPE ? nil : "\(name) cannot be written: \(systemText(number)).")
    }

    /// Returns the number of the error, EINTR if a signal has ended it, or nil.
    private func writeInPieces(_ bytes: UnsafeRawBufferPointer) -> Int32? {
        var rest = bytes
        while !rest.isEmpty {
            guard waitForRoom() else { return EINTR }
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(ByteOutput.pieceSize))
            if let number = writeAll(piece, to: descriptor) { return number }
            rest = UnsafeRawBufferPointer(rebasing: rest[piece.count...])
        }
        return nil
    }

    /// Returns when something can be written, or writing has an error to report. False if it cannot, and a signal has
    /// told the command to end.
    private func waitForRoom() -> Bool {
        var waits = [
            pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: Interrupt.requested, events: Int16(POLLIN), revents: 0),
        ]
        var isRequested = false
        while true {
            let count = poll(&waits, isRequested ? 1 : 2, isRequested ? ByteOutput.patience : -1)
            if count < 0, errno == EINTR { continue }
            if count < 0 || waits[0].revents != 0 { return true }
            if isRequested { return false }
            isRequested = true
        }
    }

    /// Writes text; for a terminal, control characters are escaped.
    func write(_ text: String) throws(CommandFailure) { try write(Bytes(isTerminal ? VisibleText.of(text) : text)) }

    /// Writes JSON and a line end; for a terminal in a readable layout.
    func write(_ value: JSONValue) throws(CommandFailure) {
        try write(Bytes(JSONText.write(value, isForTerminal: isTerminal) + "\n"))
    }
}
