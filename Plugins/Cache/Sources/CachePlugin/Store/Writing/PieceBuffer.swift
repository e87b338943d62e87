import PlugboardKit

/// Makes pieces of one size of bytes that come as they come: what bodies are stored in.
struct PieceBuffer {
    /// Bytes of every piece but the last.
    static let pieceSize = 64 << 10

    private var bytes: [UInt8] = []
    /// What the first piece needs, so that a small body takes no more memory than it has bytes.
    private let expected: Int

    init(length: Int?) { expected = min(max(length ?? 4096, 0), PieceBuffer.pieceSize) }

    /// Copies the bytes, and gives away each piece that is full.
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

    /// The last piece; nil if there is nothing left.
    mutating func last() -> Bytes? { bytes.isEmpty ? nil : take() }

    private mutating func take() -> Bytes {
        defer { bytes = [] }
        return Bytes(bytes)
    }
}
