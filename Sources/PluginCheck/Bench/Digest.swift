import PlugboardKit

/// A digest of a body's bytes, which does not depend on the sizes of its pieces.
struct Digest: Sendable, Equatable {
    private(set) var count = 0
    /// FNV-1a over words of eight bytes: fast, and not meant to be secure.
    private var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    /// The bytes of the incomplete last word, the first byte lowest.
    private var word: UInt64 = 0

    /// The digest of no bytes.
    init() {}

    init(of bytes: Bytes) { add(bytes) }

    mutating func add(_ bytes: Bytes) {
        bytes.withUnsafeBytes { buffer in
            var index = 0
            while index < buffer.count {
                if count % 8 == 0 && buffer.count - index >= 8 {
                    mix(UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
                    index += 8
                    count += 8
                    continue
                }
                word |= UInt64(buffer[index]) << UInt64(count % 8 * 8)
                index += 1
                count += 1
                if count % 8 == 0 {
                    mix(word)
                    word = 0
                }
            }
        }
    }

    private mutating func mix(_ word: UInt64) { hash = (hash ^ word) &* 0x100_0000_01b3 }
}
