import PlugboardMessages
import PlugboardSystem

/// The descriptor of a file, which stays open as long as the file is read or flushed.
final class OpenFile: Sendable {
    let descriptor: Int32
    private let path: String

    init(_ descriptor: Int32, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// Reads a range completely.
    func read(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Void) throws(PlugboardError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: range.count, alignment: 16)
        defer { buffer.deallocate() }
        var done = 0
        while done < range.count {
            let count = pread(
                descriptor, buffer.baseAddress! + done, range.count - done, off_t(range.lowerBound + done))
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                throw PlugboardError(
                    .downloadWrite, "\(path) cannot be read.",
                    underlying: count < 0 ? systemText(errno) : "It is shorter than what was written.")
            }
            done += count
        }
        body(UnsafeRawBufferPointer(buffer))
    }

    /// Runs a blocking call on a thread of its own, so that it does not block other tasks.
    ///
    /// - Returns: The system's error, or nil.
    func waiting(for call: @escaping @Sendable (Int32) -> Int32) async -> Int32? {
        await withCheckedContinuation { continuation in
            BlockingThread.start { [self] in
                continuation.resume(returning: call(descriptor) == 0 ? nil : errno)
            }
        }
    }
}
