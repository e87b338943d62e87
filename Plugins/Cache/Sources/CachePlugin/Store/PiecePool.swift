import PlugboardKit
import Synchronization

/// Memory of whole pieces, which bodies have passed through and will pass through again.
///
/// The system takes freed memory of this size back and hands it out empty, page by page: that costs more than all the
/// rest of reading a piece from a file.
final class PiecePool: Sendable {
    /// Of the process: what is kept idle is 1 MiB at most.
    static let shared = PiecePool(limit: 16)

    private struct Memory: @unchecked Sendable {
        // Sendable because whoever takes it out of the pool is the only one that knows it.
        let address: UnsafeMutableRawPointer
    }

    private let limit: Int
    private let idle = Mutex<[Memory]>([])

    init(limit: Int) { self.limit = limit }

    /// A copy, which goes back to the pool when nobody holds it any more. What is less than a piece is copied without
    /// the pool, so that it takes no more memory than it has bytes.
    func copy(_ bytes: UnsafeRawBufferPointer) -> Bytes {
        guard bytes.count == PieceBuffer.pieceSize else { return Bytes(copying: bytes) }
        let memory = UnsafeMutableRawBufferPointer(start: take(), count: bytes.count)
        memory.copyMemory(from: bytes)
        return Bytes(borrowing: UnsafeRawBufferPointer(memory)) { [self] address in
            if let address { give(UnsafeMutableRawPointer(mutating: address)) }
        }
    }

    private func take() -> UnsafeMutableRawPointer {
        idle.withLock { $0.popLast() }?.address ?? .allocate(byteCount: PieceBuffer.pieceSize, alignment: 1)
    }

    private func give(_ address: UnsafeMutableRawPointer) {
        let isKept = idle.withLock { idle in
            if idle.count >= limit { return false }
            idle.append(Memory(address: address))
            return true
        }
        if !isKept { address.deallocate() }
    }
}
