import PlugboardJSON
import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file or standard output. Writing blocks, until a signal asks the command to end.
final class ByteOutput: Sendable {
    static let standard = ByteOutput(descriptor: STDOUT_FILENO, name: "standard output", isOwned: false)

    private let descriptor: Int32
    private let name: String
    private let isOwned: Bool
    /// Whether writing waits for a reader, which may have stopped.
    private let hasReader: Bool

    private init(descriptor: Int32, name: String, isOwned: Bool) {
        self.descriptor = descriptor
        self.name = name
        self.isOwned = isOwned
        var entry = stat()
        hasReader = fstat(descriptor, &entry) == 0 && [S_IFIFO, S_IFSOCK, S_IFCHR].contains(entry.st_mode & S_IFMT)
    }

    /// Creates the file, or truncates it.
    convenience init(path: String) throws(CommandFailure) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw CommandFailure(.write, "\(path) cannot be written: \(systemText(errno)).") }
        self.init(descriptor: file, name: path, isOwned: true)
    }

    deinit { if isOwned { close(descriptor) } }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes all bytes. If the reader of a pipe has closed it, the error has no message, as in other programs. After a
    /// signal that asks the command to end, nothing waits for a reader.
    func write(_ bytes: Bytes) throws(CommandFailure) {
        var offset = 0
        while offset < bytes.count {
            // What has room takes so many bytes without blocking (pipe(7)).
            let end = hasReader ? min(offset + Int(PIPE_BUF), bytes.count) : bytes.count
            if hasReader, !waitsForRoom() { throw CommandFailure(.interrupted, nil) }
            let number = bytes.withUnsafeBytes {
                writeAll(UnsafeRawBufferPointer(rebasing: $0[offset..<end]), to: descriptor)
            }
            if let number {
                throw CommandFailure(
                    .write, number == EPIPE ? nil : "\(name) cannot be written: \(systemText(number)).")
            }
            offset = end
        }
    }

    /// Whether there is room, after a wait. False if a signal has ended the wait.
    private func waitsForRoom() -> Bool {
        var events = [
            pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: Interrupt.request, events: Int16(POLLIN), revents: 0),
        ]
        // An error of the system leaves the decision to the writing.
        while poll(&events, 2, -1) < 0 { if errno != EINTR { return true } }
        return events[0].revents != 0
    }

    /// Writes text; for a terminal, control characters are escaped.
    func write(_ text: String) throws(CommandFailure) { try write(Bytes(isTerminal ? VisibleText.of(text) : text)) }

    /// Writes JSON and a line end; for a terminal in a readable layout.
    func write(_ value: JSONValue) throws(CommandFailure) {
        try write(Bytes(JSONText.write(value, isForTerminal: isTerminal) + "\n"))
    }
}
