import Dispatch
import Foundation
import PlugboardMessages
import Synchronization

/// Reads the bytes of an input stream on a queue, because a read may block.
///
/// Sendable because the stream is used on the queue only.
final class InputStreamSource: BodySource, @unchecked Sendable {
    private static let pieceSize = 64 << 10

    private let stream: InputStream
    private let queue = DispatchQueue(label: "plugboard.input-stream")
    private let isReleased = Mutex(false)
    private var isOpen = false
    /// The number of bytes that the stream must still have; nil if it is unknown.
    private var rest: Int?
    let length: Int?

    init(_ stream: InputStream, length: Int?) {
        self.stream = stream
        self.length = length
        rest = length
    }

    func pull(_ pull: Pull) {
        queue.async { [self] in
            guard !isReleased.withLock({ $0 }) else { return }
            pull.complete(next())
        }
    }

    func release() {
        isReleased.withLock { $0 = true }
        queue.async { [self] in stream.close() }
    }

    /// [queue]
    private func next() -> Piece {
        if !isOpen {
            stream.open()
            isOpen = true
        }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: InputStreamSource.pieceSize, alignment: 1)
        guard let address = memory.bindMemory(to: UInt8.self).baseAddress else {
            memory.deallocate()
            return .end(trailers: Fields())
        }
        let count = stream.read(address, maxLength: memory.count)
        guard count > 0 else {
            memory.deallocate()
            defer { stream.close() }
            return count < 0 ? .broken(failure("cannot be read")) : end()
        }
        if let rest {
            guard count <= rest else {
                memory.deallocate()
                stream.close()
                return .broken(failure("is longer than its Content-Length"))
            }
            self.rest = rest - count
        }
        return .bytes(Bytes(adopting: memory, count: count))
    }

    private func end() -> Piece {
        guard let rest, rest > 0 else { return .end(trailers: Fields()) }
        return .broken(failure("ended \(rest) bytes before its Content-Length"))
    }

    private func failure(_ what: String) -> PlugboardError {
        // Foundation on Linux traps if `streamError` is read from a stream without an error.
        let cause = stream.streamStatus == .error ? stream.streamError : nil
        return PlugboardError(.bodyRead, "The body's input stream \(what).", underlying: cause.map { "\($0)" })
    }
}
