import PlugboardKit
import Testing

@testable import PlugboardDecode

/// Features that only one of the codings has.
struct CodingTests {
    @Test(arguments: [1, 5, .max])
    func `several members of gzip are one body`(size: Int) async throws {
        let coded = ["one, ", "two, ", "", "three"].flatMap { Encoder.encode(Array($0.utf8), .gzip) }

        let text = try await Body(decoding(ListSource(coded, size: size), .gzip)).text()

        #expect(text == "one, two, three")
    }

    @Test(arguments: [1, 5, .max])
    func `zeros after gzip are accepted`(size: Int) async throws {
        let coded = Encoder.encode(Array("text".utf8), .gzip) + [UInt8](repeating: 0, count: 512)

        let text = try await Body(decoding(ListSource(coded, size: size), .gzip)).text()

        #expect(text == "text")
    }

    @Test(arguments: [[0, 0, 1], [0x1F], [0x1F, 0x8B, 0], Array("garbage".utf8)] as [[UInt8]])
    func `other bytes after gzip break the body`(rest: [UInt8]) async {
        let coded = Encoder.encode(Array("text".utf8), .gzip) + rest

        await #expect(throws: PlugboardError.self) {
            try await Body(decoding(ListSource(coded), .gzip)).text()
        }
    }

    @Test(arguments: [0, 1, 100, 70_000], [1, 2, .max])
    func `deflate without its wrapper is decoded`(count: Int, size: Int) async throws {
        let bytes = Sample.text(count)

        let decoded = try await Body(decoding(ListSource(Encoder.rawDeflate(bytes), size: size), .deflate))
            .collect(upTo: .mebibytes(1))

        #expect(decoded.array == bytes)
    }

    @Test func `several frames of zstd are one body`() async throws {
        let coded = ["one, ", "two"].flatMap { Encoder.encode(Array($0.utf8), .zstd) }

        let text = try await Body(decoding(ListSource(coded, size: 1), .zstd)).text()

        #expect(text == "one, two")
    }

    @Test(arguments: [(23, true), (24, false), (27, false)])
    func `zstd accepts a window of up to 8 MiB`(windowLog: Int32, isAccepted: Bool) async {
        let coded = Encoder.zstd(Sample.text(1000), windowLog: windowLog)

        let decoded = try? await Body(decoding(ListSource(coded), .zstd)).collect(upTo: .mebibytes(1))

        #expect((decoded != nil) == isAccepted)
    }
}

/// Bodies that are small on the wire and large in memory.
struct DecodingBudgetTests {
    @Test(arguments: ContentCoding.allCases)
    func `a body that grows beyond the ratio breaks early`(coding: ContentCoding) async {
        let inner = ListSource(Encoder.encode([UInt8](repeating: 0, count: 32 << 20), coding), size: 1024)
        let source = decoding(inner, coding, ratio: 100)

        var count = 0
        var last = await pulled(source)
        while case .bytes(let bytes) = last {
            count += bytes.count
            last = await pulled(source)
        }

        guard case .broken(let error) = last else {
            Issue.record("the bomb went off")
            return
        }
        #expect(error.code == .bodyDecode && error.reason.contains("100 times"))
        #expect(count <= 2 << 20)
    }

    @Test func `several codings are limited by the bytes from the network`() async {
        let once = Encoder.encode([UInt8](repeating: 0, count: 32 << 20), .gzip)
        let source = DecodingSource.around(
            ListSource(Encoder.encode(once, .gzip)), codings: [.gzip, .gzip],
            budget: DecodingBudget(limit: nil, ratio: 1100))

        await #expect(throws: PlugboardError.self) { try await Body(source).collect(upTo: .mebibytes(64)) }
    }

    @Test func `the ratio does not apply to the first MiB`() async throws {
        let source = decoding(ListSource(Encoder.encode([UInt8](repeating: 0, count: 1 << 20), .zstd)), .zstd, ratio: 2)

        let decoded = try await Body(source).collect(upTo: .mebibytes(2))

        #expect(decoded.count == 1 << 20)
    }

    @Test(arguments: [(1000, true), (999, false)])
    func `the limit is the largest allowed size`(limit: Int, isAllowed: Bool) async {
        let source = decoding(ListSource(Encoder.encode(Sample.text(1000), .br)), .br, limit: .bytes(limit))

        let decoded = try? await Body(source).collect(upTo: .mebibytes(1))

        #expect((decoded != nil) == isAllowed)
    }
}
