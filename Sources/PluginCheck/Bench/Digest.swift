import PlugboardKit

/// What a body came to, in whatever pieces it came: enough to tell whether two are the same.
struct Digest: Sendable, Equatable {
    private(set) var count = 0
    /// FNV-1a over words of eight bytes: no secret hangs on it, and a body of many MiB is soon through.
    private var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    /// The bytes of a word that is not full yet, the first one lowest.
    private var word: UInt64 = 0

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
