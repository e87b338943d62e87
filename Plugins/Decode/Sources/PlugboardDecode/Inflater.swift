import CPlugboardZlib

/// A zlib stream that decompresses.
final class Inflater {
    enum Wrapper: Int32 {
        case raw = -15
        case zlib = 15
        case gzip = 31
    }

    // Allocated, because zlib stores the stream's address.
    private let stream: UnsafeMutablePointer<z_stream>
    /// Whether the stream has ended.
    private(set) var isDone = false

    /// Nil if memory is exhausted.
    init?(_ wrapper: Wrapper) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard czlib_inflate_init(stream, wrapper.rawValue) == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Starts a new stream.
    func reset() {
        inflateReset(stream)
        isDone = false
    }

    func inflate(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(ContentCodingError) -> DecodingStep {
        let room = UInt32(clamping: output.count)
        let given = UInt32(clamping: input.count)
        // zlib does not write what `next_in` points at; its type has no const.
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: Bytef.self))
        stream.pointee.avail_in = given
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: Bytef.self)
        stream.pointee.avail_out = room
        switch CPlugboardZlib.inflate(stream, Z_NO_FLUSH) {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: isDone = true
        case Z_NEED_DICT: throw ContentCodingError("it needs a dictionary")
        case Z_MEM_ERROR: throw ContentCodingError("memory is exhausted")
        default:
            throw ContentCodingError(stream.pointee.msg.map { String(cString: $0) } ?? "the data is damaged")
        }
        return DecodingStep(
            consumed: Int(given - stream.pointee.avail_in), produced: Int(room - stream.pointee.avail_out))
    }
}
