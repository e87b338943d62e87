import CBrotliEncoder
import CPlugboardZlib
import CPlugboardZstd

@testable import PlugboardDecode

/// Coded data from the libraries' own encoders.
enum Encoder {
    static func encode(_ bytes: [UInt8], _ coding: ContentCoding) -> [UInt8] {
        switch coding {
        case .gzip: deflate(bytes, windowBits: 31)
        case .deflate: deflate(bytes, windowBits: 15)
        case .br: brotli(bytes)
        case .zstd: zstd(bytes)
        }
    }

    static func rawDeflate(_ bytes: [UInt8]) -> [UInt8] { deflate(bytes, windowBits: -15) }

    /// A frame whose header asks for a window of 2 to the power of `windowLog` bytes.
    static func zstd(_ bytes: [UInt8], windowLog: Int32) -> [UInt8] {
        let stream = ZSTD_createCStream()
        defer { ZSTD_freeCStream(stream) }
        ZSTD_CCtx_setParameter(stream, ZSTD_c_windowLog, windowLog)
        var coded = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count) + 64)
        let count = coded.withUnsafeMutableBytes { coded in
            bytes.withUnsafeBytes { bytes in
                var room = ZSTD_outBuffer(dst: coded.baseAddress, size: coded.count, pos: 0)
                var given = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
                // A flush before the end keeps the encoder from shrinking the window to the content.
                ZSTD_compressStream2(stream, &room, &given, ZSTD_e_flush)
                ZSTD_compressStream2(stream, &room, &given, ZSTD_e_end)
                return room.pos
            }
        }
        return Array(coded.prefix(count))
    }

    private static func deflate(_ bytes: [UInt8], windowBits: Int32) -> [UInt8] {
        var stream = z_stream()
        czlib_deflate_init(&stream, windowBits)
        defer { deflateEnd(&stream) }
        var coded = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))) + 64)
        var bytes = bytes
        let room = coded.count
        let count = coded.withUnsafeMutableBufferPointer { coded in
            bytes.withUnsafeMutableBufferPointer { bytes in
                stream.next_in = bytes.baseAddress
                stream.avail_in = UInt32(bytes.count)
                stream.next_out = coded.baseAddress
                stream.avail_out = UInt32(room)
                CPlugboardZlib.deflate(&stream, Z_FINISH)
                return room - Int(stream.avail_out)
            }
        }
        return Array(coded.prefix(count))
    }

    private static func brotli(_ bytes: [UInt8]) -> [UInt8] {
        var count = BrotliEncoderMaxCompressedSize(bytes.count) + 64
        var coded = [UInt8](repeating: 0, count: count)
        BrotliEncoderCompress(5, 22, BROTLI_MODE_GENERIC, bytes.count, bytes, &count, &coded)
        return Array(coded.prefix(count))
    }

    private static func zstd(_ bytes: [UInt8]) -> [UInt8] {
        var coded = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
        let count = ZSTD_compress(&coded, coded.count, bytes, bytes.count, 3)
        return Array(coded.prefix(count))
    }
}

/// Bytes to encode.
enum Sample {
    /// Bytes that compress well without being repetitions.
    static func text(_ count: Int) -> [UInt8] {
        var numbers = noise(count / 4 + 1).makeIterator()
        var text: [UInt8] = []
        while text.count < count { text += Array("line \(numbers.next() ?? 0) of the sample\n".utf8) }
        return Array(text.prefix(count))
    }

    /// Bytes that do not compress, the same each time.
    static func noise(_ count: Int) -> [UInt8] {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        return (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state)
        }
    }
}
