import Foundation

/// A terminal whose output a test reads.
package final class PseudoTerminal: Sendable {
    /// The path that a program opens.
    package let path: String
    private let descriptor: Int32
    /// Keeps the terminal alive while no program has it open.
    private let other: Int32

    package init(columns: UInt16 = 80) throws {
        descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        var isLocked: Int32 = 0
        var number: UInt32 = 0
        // TIOCSPTLCK and TIOCGPTN, whose macros are not imported.
        guard descriptor >= 0, ioctl(descriptor, 0x4004_5431, &isLocked) == 0,
            ioctl(descriptor, 0x8004_5430, &number) == 0
        else { throw SystemError.failed("/dev/ptmx", errno) }
        path = "/dev/pts/\(number)"
        other = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
    }

    deinit {
        close(other)
        close(descriptor)
    }

    /// Types a text; U+0004 at the beginning of a line is the end of the input.
    package func write(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw SystemError.failed("write", errno)
        }
    }

    /// The output that has not been read yet.
    package func read() throws -> String {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Waits until a text was written, and returns all output up to it.
    package func read(until text: String, patience: Duration = Gate.patience) throws -> String {
        try read("", patience) { $0.contains(text) }
    }

    /// Waits until the text read so far and the following output end with a text, and returns both. The output of a
    /// program may arrive after its end.
    package func read(after beginning: String, to end: String) throws -> String {
        try read(beginning, Gate.patience) { $0.hasSuffix(end) }
    }

    private func read(
        _ beginning: String, _ patience: Duration, until isEnough: (String) -> Bool
    ) throws -> String {
        let deadline = ContinuousClock.now + patience
        var all = beginning
        while true {
            all += try read()
            if isEnough(all) { return all }
            guard ContinuousClock.now < deadline else {
                throw SystemError.failed("read of a terminal: \(all)", ETIMEDOUT)
            }
            var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&wanted, 1, 50)
        }
    }

    /// Like `read(until:)`, but does not block the threads of tasks.
    package func reading(until text: String) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try self.read(until: text) }) }
        }
    }
}
