import SQLiteStore
import TestSupport
import Testing

@Suite struct ChecksumTests {
    @Test func `any changed bit, length or seed changes the sum`() {
        for count in [0, 1, 7, 8, 31, 32, 33, 100] {
            var generator = SeededRandom(seed: UInt64(count))
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let sum = bytes.withUnsafeBytes { Checksum.of($0, seed: 5) }
            var seen: Set<UInt64> = [sum]

            for index in bytes.indices {
                for bit in 0..<8 {
                    bytes[index] ^= 1 << bit
                    seen.insert(bytes.withUnsafeBytes { Checksum.of($0, seed: 5) })
                    bytes[index] ^= 1 << bit
                }
            }
            seen.insert(bytes.withUnsafeBytes { Checksum.of($0, seed: 6) })
            seen.insert((bytes + [0]).withUnsafeBytes { Checksum.of($0, seed: 5) })

            #expect(seen.count == 8 * count + 3)
        }
    }

    @Test func `the sums of files written before stay what they were`() {
        #expect(Checksum.of("plugboard") == 17_683_455_503_829_835_891)
        #expect(Checksum.of(String(repeating: "plugboard", count: 100), seed: 1) == 2_521_273_549_635_540_171)
    }
}
