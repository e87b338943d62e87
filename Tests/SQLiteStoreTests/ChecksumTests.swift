import PlugboardSQLite
import TestSupport
import Testing

@Suite struct ChecksumTests {
    @Test func `any changed bit, length or seed changes the sum`() {
        for count in [0, 1, 3, 4, 7, 8, 15, 16, 17, 63, 64, 65, 80, 100, 129] {
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

    @Test func `exchanging bytes changes the sum`() {
        var generator = SeededRandom(seed: 1)
        let bytes = (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) }
        var seen: Set<UInt64> = [bytes.withUnsafeBytes { Checksum.of($0) }]

        for distance in [8, 16, 32, 64] {
            for offset in stride(from: 0, through: 200 - distance - 8, by: 8) {
                var changed = bytes
                for index in offset..<offset + 8 { changed.swapAt(index, index + distance) }
                seen.insert(changed.withUnsafeBytes { Checksum.of($0) })
            }
        }

        #expect(seen.count == 1 + [8, 16, 32, 64].reduce(0) { $0 + (200 - $1 - 8) / 8 + 1 })
    }

    @Test func `the sums of files written before stay what they were`() {
        #expect(Checksum.of("plugboard") == 15_731_205_104_792_108_400)
        #expect(Checksum.of(String(repeating: "plugboard", count: 100), seed: 1) == 11_986_575_901_589_805_411)
    }
}
