import CPlugboardZstd

/// zstd (RFC 8878): one or more frames. Other bytes after a frame are an error.
final class ZstdDecoder: ContentDecoder {
    /// 8 MiB: the largest window that a sender may use (RFC 9659).
    private static let windowLog: Int32 = 23

    private let stream: OpaquePointer
    private(set) var isComplete = true

    init?() {
        guard let stream = ZSTD_createDStream() else { return nil }
        self.stream = stream
        ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, Self.windowLog)
    }

    deinit { ZSTD_freeDStream(stream) }

    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(ContentCodingError) -> DecodingStep {
        if isComplete && input.isEmpty { return DecodingStep() }
        var given = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var room = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let result = ZSTD_decompressStream(stream, &room, &given)
        guard ZSTD_isError(result) == 0 else { throw ContentCodingError(String(cString: ZSTD_getErrorName(result))) }
        isComplete = result == 0
        return DecodingStep(consumed: given.pos, produced: room.pos)
    }
}
