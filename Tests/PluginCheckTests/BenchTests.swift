import PlugboardKit
import Testing

@testable import PluginCheck

struct BenchTests {
    @Test func `a seed gives the numbers of SplitMix64`() {
        var draw = Draw(seed: 1_234_567)

        // The first numbers of the reference implementation for this seed.
        #expect(
            [draw.next(), draw.next(), draw.next()] == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ])
    }

    @Test func `a digest does not depend on the sizes of pieces`() {
        let bytes = PlannedBody.counting(10_007).bytes

        let digests = [1, 3, 7, 8, 64, 4_093, 20_000].map { size in
            var digest = Digest()
            for start in stride(from: 0, to: bytes.count, by: size) { digest.add(bytes[start..<start + size]) }
            return digest
        }

        #expect(digests.allSatisfy { $0 == digests[0] && $0.count == 10_007 })
    }

    @Test(arguments: [0, 5, 8, 10_006])
    func `a digest changes with any one byte`(_ index: Int) {
        let bytes = PlannedBody.counting(10_007).bytes
        var changed = bytes.array
        changed[index] ^= 1
        var (one, other) = (Digest(), Digest())

        one.add(bytes)
        other.add(Bytes(changed))

        #expect(one != other)
    }

    @Test func `a checksum is CRC-32`() { #expect(StoredGzip.checksum(Array("123456789".utf8)) == 0xcbf4_3926) }

    @Test(arguments: [0, 1, 65_535, 65_536, 200_000])
    func `a stored gzip file holds its bytes in blocks`(_ count: Int) {
        let content = PlannedBody.counting(count).bytes.array

        let file = StoredGzip.file(of: Bytes(content)).array

        var blocks: [UInt8] = []
        var index = 10
        var isLast = false
        while !isLast && index + 5 <= file.count {
            isLast = file[index] == 1
            let length = Int(file[index + 1]) | Int(file[index + 2]) << 8
            blocks += file[index + 5..<index + 5 + length]
            index += 5 + length
        }
        #expect(blocks == content && isLast && index == file.count - 8)
    }

    @Test func `a planned body comes in its pieces, and again after a rewind`() async throws {
        let body = PlannedBody(Bytes("abcdefg")).inPieces(of: 3, .elsewhere)
        let source = PlannedSource(body)

        let first = try await pieces(of: source)
        let rewound = source.rewind()
        let second = try await pieces(of: source)

        #expect(first == ["abc", "def", "g"])
        #expect(rewound && second == first)
    }

    @Test func `a broken body breaks instead of ending`() async throws {
        let source = PlannedSource(Traffic.breaking(PlannedBody(Bytes("ab"))))

        await #expect(throws: PlugboardError.self) { _ = try await pieces(of: source) }
    }

    private func pieces(of source: PlannedSource) async throws -> [String] {
        var pieces: [String] = []
        for try await piece in Body(source) { pieces.append(piece.text) }
        return pieces
    }
}
