import Dispatch
import PlugboardSystem

/// The lines of standard input without their ends, read on a separate queue.
///
/// At most `limit` lines are in progress at a time: reading goes on when one of them is `done`.
struct StandardInputLines: Sendable {
    let lines: AsyncStream<[UInt8]>
    private let continuation: AsyncStream<[UInt8]>.Continuation
    private let room: DispatchSemaphore

    init(limit: Int) {
        let (lines, continuation) = AsyncStream<[UInt8]>.makeStream()
        // Dispatch traps if a semaphore is released below its initial value, which could happen after `stop`.
        let room = DispatchSemaphore(value: 0)
        for _ in 0..<limit { room.signal() }
        self.lines = lines
        self.continuation = continuation
        self.room = room
        DispatchQueue(label: "standard input").async {
            StandardInputLines.readAll { line in
                room.wait()
                continuation.yield(line)
            }
            continuation.finish()
        }
    }

    /// Call this once for each line.
    func done() { room.signal() }

    /// Ends `lines` after the lines read so far; further input is dropped.
    func stop() { continuation.finish() }

    private static func readAll(_ give: ([UInt8]) -> Void) {
        var line: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(STDIN_FILENO, &piece, piece.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { break }
            var rest = piece[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[..<end]
                give(line)
                line = []
                rest = rest[(end + 1)...]
            }
            line += rest
        }
        if !line.isEmpty { give(line) }
    }
}
