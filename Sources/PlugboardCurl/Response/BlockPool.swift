import CPlugboardCurl
import PlugboardTransport
import Synchronization

/// Large blocks of memory for received bodies, which are used again.
///
/// The system takes back freed memory of this size and returns it later as zeroed pages, which costs more than the copy
/// of a body.
final class BlockPool: Sendable {
    static let blockSize = 256 << 10
    /// The pool of the process, which keeps at most 2 MiB of idle blocks.
    static let shared = BlockPool(limit: ccurl_is_sanitized() != 0 ? 0 : 8)

    /// Sendable because a block has one owner at a time: the pool, or the code that took it.
    private struct Block: @unchecked Sendable {
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

    /// Returns a block to the pool, from any thread.
    func give(_ memory: UnsafeMutableRawPointer) {
        let isKept = idle.withLock { idle in
            if idle.count >= limit { return false }
            idle.append(Block(memory: memory))
            return true
        }
        if !isKept { memory.deallocate() }
    }

    /// Wraps the bytes of a block. The pool gets the block back when the last copy of the bytes is released.
    func bytes(_ block: UnsafeMutableRawBufferPointer, count: Int) -> Bytes {
        Bytes(borrowing: UnsafeRawBufferPointer(rebasing: block[..<count])) { [self] address in
            if let address { give(UnsafeMutableRawPointer(mutating: address)) }
        }
    }
}
