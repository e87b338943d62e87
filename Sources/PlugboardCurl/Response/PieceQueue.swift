import PlugboardTransport

/// Received bytes that wait for the reader: the bytes of many callbacks in few large blocks.
struct PieceQueue {
    private static let largest = BlockPool.blockSize
    private static let smallest = 4 << 10

    /// The whole body, if it came at once: most bodies are one piece, and need no block with room for more.
    private var whole: Bytes?
    private var full: [Bytes] = []
    private var firstFull = 0
    private var open: UnsafeMutableRawBufferPointer?
    private var filled = 0
    private var nextCapacity = PieceQueue.smallest
    /// Bytes in the queue.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Copies the bytes.
    ///
    /// - Parameter expected: How many bytes are still to be received, including these; nil if it is not known.
    mutating func append(_ piece: UnsafeRawBufferPointer, expected: Int?) {
        if count == 0, piece.count == expected, piece.count < PieceQueue.largest, !piece.isEmpty {
            whole = Bytes(copying: piece)
            count = piece.count
            return
        }
        var rest = piece
        count += piece.count
        while !rest.isEmpty {
            let block = openBlock(room: rest.count, expected: expected)
            let size = min(rest.count, block.count - filled)
            UnsafeMutableRawBufferPointer(rebasing: block[filled..<filled + size])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<size]))
            filled += size
            rest = UnsafeRawBufferPointer(rebasing: rest[size...])
        }
    }

    /// Removes and returns the oldest block; nil if the queue is empty.
    mutating func pop() -> Bytes? {
        if let whole = whole.take() {
            count -= whole.count
            return whole
        }
        if firstFull < full.count {
            let bytes = full[firstFull]
            full[firstFull] = .empty
            firstFull += 1
            if firstFull == full.count {
                full.removeAll(keepingCapacity: true)
                firstFull = 0
            }
            count -= bytes.count
            return bytes
        }
        guard let block = open, filled > 0 else { return nil }
        defer { filled = 0 }
        count -= filled
        // Copied, so that a reader that keeps a few bytes does not keep a large block.
        if filled < block.count / 8 {
            return Bytes(copying: UnsafeRawBufferPointer(rebasing: block[..<filled]))
        }
        open = nil
        return PieceQueue.bytes(block, count: filled)
    }

    /// Releases all memory.
    mutating func removeAll() {
        if count == 0, open == nil, nextCapacity == PieceQueue.smallest { return }
        if let open { PieceQueue.discard(open) }
        self = PieceQueue()
    }

    private mutating func openBlock(room: Int, expected: Int?) -> UnsafeMutableRawBufferPointer {
        if let open {
            // A full block stays open until more bytes arrive: most bodies are one block, and need no list.
            if filled < open.count { return open }
            closeBlock(open)
        }
        let wanted = max(min(room, PieceQueue.largest), nextCapacity)
        nextCapacity = min(2 * wanted, PieceQueue.largest)
        let capacity = max(min(wanted, expected ?? wanted), 1)
        let block =
            capacity == PieceQueue.largest
            ? BlockPool.shared.take() : UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 1)
        open = block
        filled = 0
        return block
    }

    private mutating func closeBlock(_ block: UnsafeMutableRawBufferPointer) {
        full.append(PieceQueue.bytes(block, count: block.count))
        open = nil
        filled = 0
    }

    private static func bytes(_ block: UnsafeMutableRawBufferPointer, count: Int) -> Bytes {
        block.count == largest ? BlockPool.shared.bytes(block, count: count) : Bytes(adopting: block, count: count)
    }

    private static func discard(_ block: UnsafeMutableRawBufferPointer) {
        if block.count == largest, let start = block.baseAddress {
            BlockPool.shared.give(start)
        } else {
            block.deallocate()
        }
    }
}
