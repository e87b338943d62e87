import CCurl
import Synchronization
import Transporting

/// Large pieces of memory that bodies have passed through and will pass through again.
///
/// The system takes freed memory of this size back and hands it out empty, page by page: that costs more than the copy.
final class BlockPool: Sendable {
    static let blockSize = 256 << 10
    /// Of the process: what is kept idle is 2 MiB at most.
    static let shared = BlockPool(limit: ccurl_is_sanitized() != 0 ? 0 : 8)

    private struct Block: @unchecked Sendable {
        // Sendable because whoever takes it out of the pool is the only one that knows it.
        let memory: UnsafeMutableRawPointer
    }

    private let limit: Int
    private let idle = Mutex<[Block]>([])

    private init(limit: Int) { self.limit = limit }

    func take() -> UnsafeMutableRawBufferPointer {
        let memory =
            idle.withLock { $0.popLast() }?.memory
            ?? UnsafeMutableRawPointer.allocate(byteCount: BlockPool.blockSize, alignment: 1)
        return UnsafeMutableRawBufferPointer(start: memory, count: BlockPool.blockSize)
    }

    /// Any thread may give back what any thread has taken.
    func give(_ memory: UnsafeMutableRawPointer) {
        let isKept = idle.withLock { idle in
            if idle.count >= limit { return false }
            idle.append(Block(memory: memory))
            return true
        }
        if !isKept { memory.deallocate() }
    }

    /// Bytes in a block of the pool, which gets it back when the last copy goes.
    func bytes(_ block: UnsafeMutableRawBufferPointer, count: Int) -> Bytes {
        Bytes(borrowing: UnsafeRawBufferPointer(rebasing: block[..<count])) { [self] address in
            if let address { give(UnsafeMutableRawPointer(mutating: address)) }
        }
    }
}
