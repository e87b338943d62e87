import PlugboardKit
import Testing

@testable import PlugboardDecode

struct DecodingSourceTests {
    @Test(arguments: ContentCoding.allCases, [1, 7, 1000, .max])
    func `a body decodes to what was encoded, in pieces of any size`(coding: ContentCoding, size: Int) async throws {
        let bytes = Sample.text(200_000)
        let source = decoding(ListSource(Encoder.encode(bytes, coding), size: size), coding)

        let decoded = try await Body(source).collect(upTo: .mebibytes(1))

        #expect(decoded.array == bytes)
    }

    @Test func `many tiny pieces that are completed at once do not grow the stack`() async throws {
        let name = [UInt8](repeating: 0x61, count: 100_000)
        var coded = Encoder.encode(Array("text".utf8), .gzip)
        // RFC 1952 §2.3: with this flag a file name and a zero follow the header's ten bytes.
        coded[3] = 8
        coded.insert(contentsOf: name + [0], at: 10)

        let text = try await Body(decoding(ListSource(coded, size: 1), .gzip)).text()

        #expect(text == "text")
    }

    @Test(arguments: ContentCoding.allCases)
    func `pieces from other threads are decoded`(coding: ContentCoding) async throws {
        let bytes = Sample.text(100_000)
        let coded = Encoder.encode(bytes, coding)
        let stream = AsyncStream { continuation in
            for start in stride(from: 0, to: coded.count, by: 100) {
                continuation.yield(Bytes(Array(coded[start..<min(start + 100, coded.count)])))
            }
            continuation.finish()
        }

        let decoded = try await Body(decoding(Body.stream(stream).source, coding)).collect(upTo: .mebibytes(1))

        #expect(decoded.array == bytes)
    }

    @Test(arguments: ContentCoding.allCases)
    func `large output comes in bounded pieces, and the inner body is pulled only when needed`(
        coding: ContentCoding
    ) async throws {
        let inner = ListSource(Encoder.encode([UInt8](repeating: 0x61, count: 2 << 20), coding))
        let source = decoding(inner, coding, ratio: 0)

        var sizes: [Int] = []
        while case .bytes(let bytes) = await pulled(source) {
            sizes.append(bytes.count)
            if sizes.count == 2 { #expect(inner.pullCount == 1) }
        }

        #expect(sizes.reduce(0, +) == 2 << 20)
        #expect(sizes.allSatisfy { $0 <= 256 << 10 })
        #expect(sizes.count >= 8)
    }

    @Test(arguments: ContentCoding.allCases)
    func `a body that ends too early breaks, at any position`(coding: ContentCoding) async {
        let coded = Encoder.encode(Sample.text(500), coding)

        for count in 1..<coded.count {
            let error = await error(of: decoding(ListSource(Array(coded.prefix(count))), coding))
            #expect(error?.code == .bodyDecode, "cut after \(count) of \(coded.count) bytes")
        }
    }

    @Test(arguments: ContentCoding.allCases)
    func `an empty body decodes to an empty body`(coding: ContentCoding) async throws {
        let decoded = try await Body(decoding(ListSource([UInt8]()), coding)).collect(upTo: .bytes(1))

        #expect(decoded.isEmpty)
    }

    @Test(arguments: ContentCoding.allCases)
    func `a body that is not coded breaks with a reason`(coding: ContentCoding) async throws {
        let source = decoding(ListSource(Array("<html>not encoded</html>".utf8)), coding)

        let error = try #require(await error(of: source))

        #expect(error.code == .bodyDecode)
        #expect(error.reason.hasPrefix("The body's \(coding.rawValue) coding cannot be decoded: "))
    }

    @Test(arguments: ContentCoding.allCases)
    func `damage at any position gives an error or bytes, and never a trap`(coding: ContentCoding) async {
        let bytes = Sample.text(300)
        let coded = Encoder.encode(bytes, coding)

        for index in coded.indices {
            var damaged = coded
            damaged[index] ^= 0x55
            let decoded = try? await Body(decoding(ListSource(damaged), coding)).collect(upTo: .mebibytes(32))
            // gzip's checksum covers the content; what still decodes had its damage in the header's time stamp.
            if coding == .gzip, let decoded { #expect(decoded.array == bytes, "byte \(index)") }
        }
    }

    @Test(arguments: [ContentCoding.deflate, .br, .zstd])
    func `bytes after the end break the body`(coding: ContentCoding) async {
        let source = decoding(ListSource(Encoder.encode(Sample.text(500), coding) + Array("garbage".utf8)), coding)

        let error = await error(of: source)

        #expect(error?.code == .bodyDecode)
    }

    @Test(arguments: [1, 100, .max])
    func `trailer fields arrive with the end`(size: Int) async throws {
        let coded = Encoder.encode(Sample.text(5000), .gzip)
        let source = decoding(ListSource(coded, size: size, trailers: Fields(["Digest": "x"])), .gzip)

        var iterator = Body(source).makeAsyncIterator()
        while try await iterator.next() != nil {}

        #expect(iterator.trailers["Digest"] == "x")
    }

    @Test func `a broken body breaks with its own error, after the bytes that could be decoded`() async throws {
        let bytes = Sample.noise(50_000)
        let cut = PlugboardError(.bodyCut, "cut")
        let source = decoding(
            ListSource([.bytes(Bytes(Array(Encoder.encode(bytes, .gzip).prefix(40_000)))), .broken(cut)]), .gzip)

        let first = await pulled(source)
        var last = first
        while case .bytes = last { last = await pulled(source) }

        guard case .bytes(let piece) = first, case .broken(let error) = last else {
            Issue.record("unexpected pieces")
            return
        }
        #expect(piece.count > 30_000 && bytes.starts(with: piece.array))
        #expect(error == cut)
    }

    @Test func `several codings are decoded in order`() async throws {
        let bytes = Sample.text(100_000)
        let coded = [ContentCoding.deflate, .br, .zstd, .gzip].reduce(bytes) { Encoder.encode($0, $1) }
        let source = DecodingSource.around(
            ListSource(coded, size: 10), codings: [.gzip, .zstd, .br, .deflate],
            budget: DecodingBudget(limit: nil, ratio: 1000))

        let decoded = try await Body(source).collect(upTo: .mebibytes(1))

        #expect(decoded.array == bytes)
    }

    @Test(arguments: [ContentCoding.gzip, .zstd])
    func `each pull takes a bounded step of members and frames without content`(coding: ContentCoding) async {
        let empty = Encoder.encode([], coding)
        let inner = ListSource(Array(repeating: empty, count: 20_000).flatMap { $0 })
        let source = decoding(inner, coding)

        var steps = 0
        var piece = await pulled(source)
        while case .bytes(let bytes) = piece {
            #expect(bytes.isEmpty)
            steps += 1
            piece = await pulled(source)
        }

        guard case .end = piece else {
            Issue.record("the body broke")
            return
        }
        #expect(steps >= 20_000 / 256 && inner.pullCount == 2)
    }

    @Test func `a body between two codings that holds almost no content breaks early`() async throws {
        let hollow = Array(repeating: Encoder.encode([], .gzip), count: 500_000).flatMap { $0 }
        let source = DecodingSource.around(
            ListSource(Encoder.encode(hollow, .zstd)), codings: [.zstd, .gzip],
            budget: DecodingBudget(limit: nil, ratio: 0))

        let error = try #require(await error(of: source))

        #expect(error.code == .bodyDecode && error.reason.contains("almost nothing of it is content"))
    }

    private func error(of source: any BodySource) async -> PlugboardError? {
        do throws(PlugboardError) {
            _ = try await Body(source).collect(upTo: .mebibytes(64))
            return nil
        } catch {
            return error
        }
    }
}

/// A source that decodes one coding.
func decoding(
    _ inner: any BodySource, _ coding: ContentCoding, limit: ByteCount? = nil, ratio: Int = 1000
) -> any BodySource {
    DecodingSource.around(inner, codings: [coding], budget: DecodingBudget(limit: limit, ratio: ratio))
}
