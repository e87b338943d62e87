import PlugboardKit
import Synchronization

/// The destination of a body in pieces of one size.
protocol PieceSink: AnyObject, Sendable {
    /// False if the body is refused. Every piece but the last has `PieceBuffer.pieceSize` bytes.
    func append(_ piece: Bytes) -> Bool
    var hasRoom: Bool { get }
    func room(_ run: @escaping @Sendable () -> Void)
    func commit(
        _ head: StoredHead, length: Int, replacing old: [CacheEntry],
        _ done: @escaping @Sendable (CacheEntry?) -> Void)
    func discard()
}

/// The writer of all stores: divides a body into pieces, counts its bytes, and ends once.
final class PieceWriter: EntryWriter {
    private struct State {
        var buffer: PieceBuffer
        var length = 0
        /// Whether it was committed or discarded.
        var isOver = false
    }

    private let sink: any PieceSink
    private let largest: Int
    private let state: Mutex<State>

    /// Nil if the body is too long.
    init?(_ sink: any PieceSink, length: Int?, largest: Int) {
        if let length, length > largest { return nil }
        self.sink = sink
        self.largest = largest
        state = Mutex(State(buffer: PieceBuffer(length: length)))
    }

    deinit { discard() }

    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.isOver, bytes.count <= largest - state.length else { return false }
            state.length += bytes.count
            var isTaken = true
            state.buffer.append(bytes) { isTaken = isTaken && sink.append($0) }
            return isTaken
        }
        if !isTaken { discard() }
        return isTaken
    }

    var hasRoom: Bool { sink.hasRoom }
    func room(_ run: @escaping @Sendable () -> Void) { sink.room(run) }

    func commit(
        _ head: StoredHead, replacing old: [CacheEntry], _ done: @escaping @Sendable (CacheEntry?) -> Void
    ) {
        let length = state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            if let last = state.buffer.last(), !sink.append(last) { return nil }
            state.isOver = true
            return state.length
        }
        guard let length else {
            discard()
            return done(nil)
        }
        sink.commit(head, length: length, replacing: old, done)
    }

    func discard() {
        let isFirst = state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
        if isFirst { sink.discard() }
    }
}

/// Divides bytes of a body into pieces of one size, in which bodies are stored.
struct PieceBuffer {
    /// The bytes of every piece but the last.
    static let pieceSize = 64 << 10

    private var bytes: [UInt8] = []
    /// The capacity of the first piece.
    private let expected: Int

    init(length: Int?) { expected = min(max(length ?? 4096, 0), PieceBuffer.pieceSize) }

    /// Copies the bytes, and passes each full piece to `full`.
    mutating func append(_ more: UnsafeRawBufferPointer, full: (Bytes) -> Void) {
        var rest = more[...]
        while !rest.isEmpty {
            if bytes.isEmpty, rest.count >= PieceBuffer.pieceSize {
                let piece = rest.prefix(PieceBuffer.pieceSize)
                full(PiecePool.shared.copy(UnsafeRawBufferPointer(rebasing: piece)))
                rest = rest.dropFirst(piece.count)
                continue
            }
            if bytes.isEmpty { bytes.reserveCapacity(expected) }
            let part = rest.prefix(PieceBuffer.pieceSize - bytes.count)
            bytes.append(contentsOf: part)
            rest = rest.dropFirst(part.count)
            if bytes.count == PieceBuffer.pieceSize { full(take()) }
        }
    }

    /// The last piece; nil if no bytes are left.
    mutating func last() -> Bytes? { bytes.isEmpty ? nil : take() }

    private mutating func take() -> Bytes {
        defer { bytes = [] }
        // A body whose length was not known is copied, so that it takes no more memory than it has bytes.
        return bytes.capacity - bytes.count > 512 ? bytes.withUnsafeBytes { Bytes(copying: $0) } : Bytes(bytes)
    }
}

/// Memory of whole pieces, for reuse by later pieces.
///
/// The system allocator returns freed memory of this size and maps it again page by page, which costs more than all
/// other work of reading a piece from a file.
final class PiecePool: Sendable {
    /// The pool of the process, which keeps at most 1 MiB.
    static let shared = PiecePool(limit: 16)

    /// Sendable because a piece of memory has one owner at a time: the pool, or the code that took it.
    private struct Memory: @unchecked Sendable {
        let address: UnsafeMutableRawPointer
    }

    private let limit: Int
    private let idle = Mutex<[Memory]>([])

    init(limit: Int) { self.limit = limit }

    /// A copy whose memory returns to the pool when it is released. A shorter piece is copied without the pool, so that
    /// it takes no more memory than it has bytes.
    func copy(_ bytes: UnsafeRawBufferPointer) -> Bytes {
        guard bytes.count == PieceBuffer.pieceSize else { return Bytes(copying: bytes) }
        let memory = UnsafeMutableRawBufferPointer(start: take(), count: bytes.count)
        memory.copyMemory(from: bytes)
        return lent(memory)
    }

    /// Bytes that `fill` writes; nil if it returns false.
    func piece(of count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Bool) -> Bytes? {
        guard count == PieceBuffer.pieceSize else {
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 0), alignment: 1)
            let bytes = Bytes(adopting: memory)
            return fill(memory) ? bytes : nil
        }
        let memory = UnsafeMutableRawBufferPointer(start: take(), count: count)
        let bytes = lent(memory)
        return fill(memory) ? bytes : nil
    }

    private func lent(_ memory: UnsafeMutableRawBufferPointer) -> Bytes {
        Bytes(borrowing: UnsafeRawBufferPointer(memory)) { [self] address in
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
