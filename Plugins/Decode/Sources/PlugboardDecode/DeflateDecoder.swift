/// deflate: the zlib format (RFC 1950) of RFC 9110 §8.4.1.2, and the raw format (RFC 1951) that some servers send.
final class DeflateDecoder: ContentDecoder {
    private var inflater: Inflater?
    /// The first byte, until the second byte shows which format it is.
    private var first: UInt8?

    var isComplete: Bool { inflater?.isDone ?? (first == nil) }

    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(ContentCodingError) -> DecodingStep {
        guard let next = input.first else { return try inflater?.inflate(input, into: output) ?? DecodingStep() }
        guard let inflater else { return try begin(next) }
        if inflater.isDone { throw .trailing }
        if let first {
            self.first = nil
            _ = try withUnsafeBytes(of: first) { byte throws(ContentCodingError) in
                try inflater.inflate(byte, into: output)
            }
        }
        return try inflater.inflate(input, into: output)
    }

    /// A zlib header is a multiple of 31 with the compression method 8 (RFC 1950 §2.2).
    private func begin(_ next: UInt8) throws(ContentCodingError) -> DecodingStep {
        if let first {
            let isHeader = (Int(first) << 8 | Int(next)) % 31 == 0
            inflater = try make(isHeader ? .zlib : .raw)
            return DecodingStep()
        }
        if next & 0x0F == 8 && next >> 4 <= 7 {
            first = next
            return DecodingStep(consumed: 1)
        }
        inflater = try make(.raw)
        return DecodingStep()
    }

    private func make(_ wrapper: Inflater.Wrapper) throws(ContentCodingError) -> Inflater {
        guard let inflater = Inflater(wrapper) else { throw ContentCodingError("memory is exhausted") }
        return inflater
    }
}
