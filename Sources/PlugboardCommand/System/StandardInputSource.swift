import Dispatch
import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Standard input as a body, read while it is sent.
///
/// Reading blocks, so it runs on a separate queue, which completes the pulls.
final class StandardInputSource: BodySource {
    private static let pieceSize = 64 << 10
    private let queue = DispatchQueue(label: "standard input")

    var length: Int? { nil }

    func pull(_ pull: Pull) {
        queue.async { pull.complete(StandardInputSource.next()) }
    }

    private static func next() -> Piece {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 1)
        while true {
            let count = read(STDIN_FILENO, memory.baseAddress, memory.count)
            if count > 0 { return .bytes(Bytes(adopting: memory, count: count)) }
            let number = errno
            if count < 0 && number == EINTR { continue }
            memory.deallocate()
            if count == 0 { return .end(trailers: Fields()) }
            return .broken(
                PlugboardError(.bodyRead, "Standard input cannot be read.", underlying: systemText(number)))
        }
    }
}
