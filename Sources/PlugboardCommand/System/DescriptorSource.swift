import Dispatch
import PlugboardKit
import PlugboardSystem

/// A pipe, a device or standard input as a body, read while it is sent, or before.
///
/// Reading blocks, so it runs on a separate queue, which completes the pulls.
final class DescriptorSource: BodySource {
    private static let pieceSize = 64 << 10
    private let queue = DispatchQueue(label: "input")
    private let descriptor: Int32
    private let name: String

    static var standardInput: DescriptorSource { DescriptorSource(STDIN_FILENO, "Standard input") }

    /// Reads the file of this path, which it closes in the end.
    init(path: String) throws(CommandFailure) {
        descriptor = try FileContents.open(path)
        name = path
    }

    private init(_ descriptor: Int32, _ name: String) { (self.descriptor, self.name) = (descriptor, name) }

    deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

    var length: Int? { nil }

    /// The most bytes of a body that is read before it is sent.
    private static let measuredLimit = 64 << 20

    /// The body with its length, in memory. If it has more than 64 MiB, the rest is read while it is sent, and the
    /// length is unknown. Blocks.
    func measured() throws(CommandFailure) -> Body {
        var bytes: [UInt8] = []
        while bytes.count < DescriptorSource.measuredLimit {
            switch next() {
            case .bytes(let piece): piece.withUnsafeBytes { bytes += $0 }
            case .end: return .bytes(bytes)
            case .broken(let error): throw CommandFailure(.read, error)
            }
        }
        return .joined([.bytes(bytes), Body(self)])
    }

    func pull(_ pull: Pull) {
        queue.async { pull.complete(self.next()) }
    }

    private func next() -> Piece {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: DescriptorSource.pieceSize, alignment: 1)
        while true {
            let count = read(descriptor, memory.baseAddress, memory.count)
            if count > 0 { return .bytes(Bytes(adopting: memory, count: count)) }
            let number = errno
            if count < 0 && number == EINTR { continue }
            memory.deallocate()
            if count == 0 { return .end(trailers: Fields()) }
            return .broken(
                PlugboardError(.bodyRead, "\(Printable.text(name)) cannot be read.", underlying: systemText(number)))
        }
    }
}
