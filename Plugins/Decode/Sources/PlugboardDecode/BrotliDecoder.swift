import CPlugboardBrotli

/// br (RFC 7932), with windows of up to 16 MiB. Bytes after its end are an error.
final class BrotliDecoder: ContentDecoder {
    private let state: OpaquePointer
    private(set) var isComplete = true
    private var isDone = false

    init?() {
        guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { return nil }
        self.state = state
    }

    deinit { BrotliDecoderDestroyInstance(state) }

    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(ContentCodingError) -> DecodingStep {
        if isDone && !input.isEmpty { throw .trailing }
        // An empty body is not a stream, and is accepted.
        if isDone || (isComplete && input.isEmpty) { return DecodingStep() }
        isComplete = false
        var given = input.count
        var room = output.count
        var next = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var target = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        switch BrotliDecoderDecompressStream(state, &given, &next, &room, &target, nil) {
        case BROTLI_DECODER_RESULT_SUCCESS:
            isDone = true
            isComplete = true
        case BROTLI_DECODER_RESULT_ERROR:
            let message = BrotliDecoderErrorString(BrotliDecoderGetErrorCode(state))
            throw ContentCodingError(message.map { "brotli reports \(String(cString: $0))" } ?? "the data is damaged")
        default: break
        }
        return DecodingStep(consumed: input.count - given, produced: output.count - room)
    }
}
