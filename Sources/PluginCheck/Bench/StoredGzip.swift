import PlugboardKit

/// A gzip file with uncompressed bytes: "stored" blocks (RFC 1951 §3.2.4, RFC 1952 §2.3).
///
/// It tests a decoder without linking a compressor.
enum StoredGzip {
    static func file(of bytes: Bytes) -> Bytes {
        var file: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
        let content = bytes.array
        var rest = content[...]
        repeat {
            let block = rest.prefix(0xffff)
            rest = rest.dropFirst(block.count)
            file.append(rest.isEmpty ? 1 : 0)
            append(UInt16(block.count), to: &file)
            append(~UInt16(block.count), to: &file)
            file += block
        } while !rest.isEmpty
        append(checksum(content), to: &file)
        append(UInt32(truncatingIfNeeded: content.count), to: &file)
        return Bytes(file)
    }

    private static func append<Number: FixedWidthInteger>(_ number: Number, to file: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { file += $0 }
    }

    /// CRC-32 (RFC 1952 §8).
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
        }
        return ~sum
    }
}
