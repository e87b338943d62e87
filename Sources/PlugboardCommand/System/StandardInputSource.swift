import Dispatch
import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Standard input as a body: read while it is sent, once.
///
/// Reading blocks, so it has a queue of its own; a pull is answered from there.
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
