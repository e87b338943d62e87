import PlugboardKit
import PlugboardSQLite

/// The values in which a body is stored that is too long for its record: a checksum, and up to 256 KiB.
enum FleetChunks {
    static let size = 256 << 10
    /// The number of chunks of one call, so that no call has much more than 1 MiB.
    static let batch = 4

    static func count(_ length: Int) -> Int { (length + size - 1) / size }

    /// The values of a body in pieces of `PieceBuffer.pieceSize`.
    static func values(_ pieces: [Bytes], of id: Int64) -> [(name: String, value: Bytes)] {
        let perChunk = size / PieceBuffer.pieceSize
        return stride(from: 0, to: pieces.count, by: perChunk).map { start in
            let chunk = pieces[start..<min(start + perChunk, pieces.count)]
            var value: [UInt8] = []
            value.reserveCapacity(8 + chunk.reduce(0) { $0 + $1.count })
            value += [UInt8](repeating: 0, count: 8)
            for piece in chunk { piece.withUnsafeBytes { value += $0 } }
            let number = start / perChunk
            let sum = value.withUnsafeBytes { self.sum(UnsafeRawBufferPointer(rebasing: $0[8...]), number, id) }
            withUnsafeBytes(of: sum.littleEndian) { value.replaceSubrange(0..<8, with: $0) }
            return (FleetNames.chunk(number, of: id), Bytes(value))
        }
    }

    /// The bytes of a chunk; nil if they are not those that were stored.
    static func read(_ value: Bytes, _ number: Int, of entry: CacheEntry) -> Bytes? {
        guard value.count == 8 + min(size, entry.length - number * size) else { return nil }
        let isIntact = value.withUnsafeBytes { bytes in
            UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
                == sum(UnsafeRawBufferPointer(rebasing: bytes[8...]), number, entry.id)
        }
        return isIntact ? value[8...] : nil
    }

    /// A chunk of another body, or at another place, has another sum.
    private static func sum(_ bytes: UnsafeRawBufferPointer, _ number: Int, _ id: Int64) -> UInt64 {
        Checksum.of(bytes, seed: UInt64(bitPattern: id) &+ UInt64(number))
    }
}
