import PlugboardJSON
import Testing

/// Texts that are read where they are.
struct JSONParserCopyTests {
    @Test func `a text in memory is not copied byte by byte, also if it is too long`() throws {
        let text = CountedBytes(bytes: Array("[1,2]".utf8))
        var short = JSONParser.Options()
        short.sizeLimit = 3

        _ = try JSONParser.parse(text)
        _ = try JSONParser.parseWithPositions(text)
        #expect(throws: JSONError.self) { _ = try JSONParser.parse(text, options: short) }
        #expect(throws: JSONError.self) { _ = try JSONParser.parseWithPositions(text, options: short) }

        #expect(text.walks.count == 0)
    }
}

/// Bytes in one piece, which count how often they are asked for one by one.
private struct CountedBytes: Sequence {
    final class Walks { var count = 0 }

    let bytes: [UInt8]
    let walks = Walks()

    func makeIterator() -> [UInt8].Iterator {
        walks.count += 1
        return bytes.makeIterator()
    }

    func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? { try bytes.withContiguousStorageIfAvailable(body) }
}
