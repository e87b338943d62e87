import Transporting

/// Received bytes on their way to the reader: pieces of many callbacks gathered in few, large chunks.
struct ChunkQueue {
    private static let largest = ChunkPool.chunkSize
    private static let smallest = 4 << 10

    private var full: [Bytes] = []
    private var firstFull = 0
    private var open: UnsafeMutableRawBufferPointer?
    private var filled = 0
    private var nextCapacity = ChunkQueue.smallest
    /// Bytes in the queue.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Copies; `expected` is how many bytes will come in all from here on, these included, where that is known.
    mutating func append(_ piece: UnsafeRawBufferPointer, expected: Int?) {
        var rest = piece
        count += piece.count
        while !rest.isEmpty {
            let chunk = openChunk(room: rest.count, expected: expected)
            let size = min(rest.count, chunk.count - filled)
            UnsafeMutableRawBufferPointer(rebasing: chunk[filled..<filled + size])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<size]))
            filled += size
            rest = UnsafeRawBufferPointer(rebasing: rest[size...])
        }
    }

    /// The oldest chunk, or nil when there is nothing.
    mutating func pop() -> Bytes? {
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
        guard let chunk = open, filled > 0 else { return nil }
        defer { filled = 0 }
        count -= filled
        // A reader that keeps a few bytes must not keep a large chunk for them.
        if filled < chunk.count / 8 {
            return Bytes(copying: UnsafeRawBufferPointer(rebasing: chunk[..<filled]))
        }
        open = nil
        return ChunkQueue.bytes(chunk, count: filled)
    }

    /// Gives all memory back.
    mutating func removeAll() {
        if let open { ChunkQueue.discard(open) }
        self = ChunkQueue()
    }

    private mutating func openChunk(room: Int, expected: Int?) -> UnsafeMutableRawBufferPointer {
        if let open {
            // A full one stays open until there is more: most bodies are one chunk, and need no list of chunks.
            if filled < open.count { return open }
            closeChunk(open)
        }
        let wanted = max(min(room, ChunkQueue.largest), nextCapacity)
        nextCapacity = min(2 * wanted, ChunkQueue.largest)
        let capacity = max(min(wanted, expected ?? wanted), 1)
        let chunk =
            capacity == ChunkQueue.largest
            ? ChunkPool.shared.take() : UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 1)
        open = chunk
        filled = 0
        return chunk
    }

    private mutating func closeChunk(_ chunk: UnsafeMutableRawBufferPointer) {
        full.append(ChunkQueue.bytes(chunk, count: chunk.count))
        open = nil
        filled = 0
    }

    private static func bytes(_ chunk: UnsafeMutableRawBufferPointer, count: Int) -> Bytes {
        chunk.count == largest ? ChunkPool.shared.bytes(chunk, count: count) : Bytes(adopting: chunk, count: count)
    }

    private static func discard(_ chunk: UnsafeMutableRawBufferPointer) {
        if chunk.count == largest, let start = chunk.baseAddress {
            ChunkPool.shared.give(start)
        } else {
            chunk.deallocate()
        }
    }
}
