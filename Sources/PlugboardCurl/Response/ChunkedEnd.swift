/// Finds the end of a body in the chunked coding (RFC 9112 §7.1), and errors of the coding, some of which libcurl
/// accepts or takes for the end of the connection.
struct ChunkedEnd {
    private enum Phase { case size, sizeRest, chunkExtension, lineBreak, trailers, malformed }

    /// How many more bytes the lines of chunk sizes may have than their chunks allow.
    private static let excessLimit = 16 << 10
    /// libcurl reads none that is longer (`DYN_H1_TRAILER`).
    private static let longestTrailer = 4096
    /// The bytes that each chunk allows for its line, besides two for each byte of the chunk.
    private static let plainLine = 16

    /// Whether the line that ends the body was read.
    private(set) var isFound = false
    /// An error of the coding, as the end of a sentence about the body.
    private(set) var complaint: String?
    /// The bytes of lines of chunk sizes, less those that earlier chunks allow (RFC 9112 §7.1.1: a recipient limits the
    /// extensions of a body, even if each of them is short).
    private var excess = 0
    private var phase = Phase.size
    private var size = 0
    private var hasDigit = false
    /// The bytes of the chunk that are still to come.
    private var left = 0
    /// The bytes of the trailer that is being read.
    private var trailer = 0

    mutating func read(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while index < bytes.count, !isFound, phase != .malformed {
            if left > 0 {
                let count = min(left, bytes.count - index)
                left -= count
                index += count
            } else {
                read(bytes[index])
                index += 1
            }
        }
    }

    private mutating func read(_ byte: UInt8) {
        let isLineEnd = byte == 0x0A
        switch phase {
        case .size, .sizeRest, .chunkExtension:
            excess += 1
            if excess > ChunkedEnd.excessLimit {
                refuse("has too many chunk extensions: more than \(ChunkedEnd.excessLimit) bytes beside the data")
            } else if phase == .size, let digit = ChunkedEnd.digit(byte) {
                if size > Int.max >> 4 { return refuse("has a chunk size that is too large") }
                (size, hasDigit) = (size &<< 4 | digit, true)
            } else if !hasDigit {
                refuseSize()
            } else if isLineEnd {
                endSize()
            } else if phase != .chunkExtension {
                readAfterSize(byte)
            }
        case .lineBreak:
            if isLineEnd { phase = .size } else if byte != 0x0D { refuse("has a chunk that is longer than its size") }
        case .trailers:
            if isLineEnd {
                isFound = trailer == 0
                trailer = 0
            } else if byte != 0x0D {
                trailer += 1
                if trailer > ChunkedEnd.longestTrailer {
                    refuse("has a trailer of more than \(ChunkedEnd.longestTrailer) bytes")
                }
            }
        case .malformed: break
        }
    }

    /// A size may be followed by white space and an extension (RFC 9112 §7.1.1).
    private mutating func readAfterSize(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: ";"): phase = .chunkExtension
        case 0x20, 0x09, 0x0D: phase = .sizeRest
        default: refuseSize()
        }
    }

    private mutating func refuseSize() { refuse("has a chunk size that is not a hexadecimal number") }

    private mutating func refuse(_ complaint: String) {
        self.complaint = complaint
        phase = .malformed
    }

    private mutating func endSize() {
        phase = size == 0 ? .trailers : .lineBreak
        // A huge announced size neither overflows nor allows extensions in advance: the excess is never below 0.
        excess = max(excess - ChunkedEnd.plainLine - 2 * min(size, ChunkedEnd.excessLimit), 0)
        (left, size, hasDigit) = (size, 0, false)
    }

    private static func digit(_ byte: UInt8) -> Int? {
        switch byte {
        case 0x30...0x39: Int(byte) - 0x30
        case 0x41...0x46, 0x61...0x66: Int(byte & 0x0F) + 9
        default: nil
        }
    }
}
