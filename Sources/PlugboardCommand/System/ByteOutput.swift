import PlugboardJSON
import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file or standard output. Writing blocks.
final class ByteOutput: Sendable {
    static let standard = ByteOutput(descriptor: STDOUT_FILENO, name: "standard output", isOwned: false)

    private let descriptor: Int32
    private let name: String
    private let isOwned: Bool

    private init(descriptor: Int32, name: String, isOwned: Bool) {
        self.descriptor = descriptor
        self.name = name
        self.isOwned = isOwned
    }

    /// Creates the file, or truncates it.
    convenience init(path: String) throws(CommandFailure) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw CommandFailure(.write, "\(path) cannot be written: \(systemText(errno)).") }
        self.init(descriptor: file, name: path, isOwned: true)
    }

    deinit { if isOwned { close(descriptor) } }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes all bytes. If the reader of a pipe has closed it, the error has no message, as in other programs.
    func write(_ bytes: Bytes) throws(CommandFailure) {
        guard let number = bytes.withUnsafeBytes({ writeAll($0, to: descriptor) }) else { return }
        throw CommandFailure(.write, number == EPIPE ? nil : "\(name) cannot be written: \(systemText(number)).")
    }

    /// Writes text; for a terminal, control characters are escaped.
    func write(_ text: String) throws(CommandFailure) { try write(Bytes(isTerminal ? VisibleText.of(text) : text)) }

    /// Writes JSON and a line end; for a terminal in a readable layout.
    func write(_ value: JSONValue) throws(CommandFailure) {
        try write(Bytes(JSONText.write(value, isForTerminal: isTerminal) + "\n"))
    }
}
