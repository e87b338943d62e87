import PlugboardKit
import PlugboardSystem

/// Both ends of a pipe; a started process inherits them only if they are passed on explicitly.
struct Pipe {
    let reader: Int32
    let writer: Int32

    init() throws(PlugboardError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw PlugboardError(
                .checkSystem, "A pipe for a check cannot be made.", underlying: systemText(errno))
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reader, writer) = (ends[0], ends[1])
        _ = fcntl(reader, F_SETFL, O_NONBLOCK)
    }
}

/// Collects the lines that come out of a pipe, and keeps the last ones if there are very many.
final class LineReader {
    let descriptor: Int32
    private(set) var hasEnded = false
    private(set) var lines: [String] = []
    private var rest: [UInt8] = []

    /// Takes ownership of the descriptor.
    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { abandon() }

    /// Reads what is available, without waiting.
    func read() {
        while !hasEnded {
            var buffer = [UInt8](repeating: 0, count: 16 << 10)
            let count = PlugboardSystem.read(descriptor, &buffer, buffer.count)
            if count > 0 {
                take(buffer[..<count])
            } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
                abandon()
            } else if errno == EAGAIN {
                return
            }
        }
    }

    /// Stops reading.
    func abandon() {
        guard !hasEnded else { return }
        hasEnded = true
        if !rest.isEmpty { lines.append(String(decoding: rest, as: UTF8.self)) }
        close(descriptor)
    }

    private func take(_ bytes: ArraySlice<UInt8>) {
        rest += bytes
        var parts = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let last = parts.removeLast()
        lines += parts.map { String(decoding: $0, as: UTF8.self) }
        if lines.count > 100 { lines.removeFirst(lines.count - 100) }
        // A line without end is cut.
        rest = Array(last.suffix(64 << 10))
    }
}
