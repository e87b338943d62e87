/// Finds the end of a body in the chunked coding (RFC 9112 §7.1).
///
/// libcurl reads the same bytes and refuses a malformed coding; so no end is found in one.
struct ChunkedEnd {
    private enum Phase { case size, sizeRest, lineBreak, trailers, malformed }

    /// Whether the line that ends the body was read.
    private(set) var isFound = false
    private var phase = Phase.size
    private var size = 0
    private var hasDigit = false
    /// The bytes of the chunk that are still to come.
    private var left = 0
    private var isLineEmpty = true

    mutating func read(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while index < bytes.count, !isFound {
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
        case .size, .sizeRest:
            if phase == .size, let digit = ChunkedEnd.digit(byte) {
                if size > Int.max >> 4 { phase = .malformed }
                (size, hasDigit) = (size &<< 4 | digit, true)
            } else if !hasDigit {
                phase = .malformed
            } else if isLineEnd {
                endSize()
            } else {
                phase = .sizeRest
            }
        case .lineBreak:
            if isLineEnd { phase = .size } else if byte != 0x0D { phase = .malformed }
        case .trailers:
            if isLineEnd {
                isFound = isLineEmpty
                isLineEmpty = true
            } else if byte != 0x0D {
                isLineEmpty = false
            }
        case .malformed: break
        }
    }

    private mutating func endSize() {
        phase = size == 0 ? .trailers : .lineBreak
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
