import PlugboardMessages
import PlugboardSystem

/// Divides pieces, which may be cut anywhere, into lines, which end with LF, CR or CR LF. Each byte is read a bounded
/// number of times.
struct LineScanner {
    private let limit: Int
    private var piece = Bytes.empty
    private var offset = 0
    /// The offset of the next LF of the piece, or the piece's end; valid until the offset is after it.
    private var lineFeed = -1
    /// The beginning of a line from earlier pieces.
    private var partial: [UInt8] = []
    /// Whether a CR has just ended a line, so that a following LF belongs to it.
    private var skipsLineFeed = false
    private var isAtStart = true

    /// - Parameter limit: The most bytes in a line, without its line end.
    init(limit: Int) { self.limit = limit }

    /// Adds the next piece. Call it after `next` has returned nil.
    mutating func add(_ bytes: Bytes) {
        piece = bytes
        offset = 0
        lineFeed = -1
    }

    /// The next line without its line end, or nil if the piece has no further line end. Throws `body.limit`.
    mutating func next() throws(PlugboardError) -> Bytes? {
        if skipsLineFeed, offset < piece.count {
            skipsLineFeed = false
            if piece.withUnsafeBytes({ $0[offset] == LineScanner.lineFeed }) { offset += 1 }
        }
        let (end, isCarriageReturn) = piece.withUnsafeBytes { bytes in
            if lineFeed < offset { lineFeed = LineScanner.index(of: LineScanner.lineFeed, in: bytes, from: offset) }
            let end = LineScanner.index(
                of: LineScanner.carriageReturn, in: UnsafeRawBufferPointer(rebasing: bytes[..<lineFeed]), from: offset)
            return (end, end < lineFeed)
        }
        guard partial.count + end - offset <= limit else {
            throw PlugboardError(
                .bodyLimit,
                "A line of the body is longer than the \(ByteCount.bytes(limit)) allowed. Raise the limit.")
        }
        guard end < piece.count else {
            piece.withUnsafeBytes { partial.append(contentsOf: $0[offset...]) }
            piece = .empty
            offset = 0
            lineFeed = -1
            return nil
        }
        skipsLineFeed = isCarriageReturn
        let line = whole(piece[offset..<end])
        offset = end + 1
        return line
    }

    /// The last line, if the body does not end with a line end. Call it after the end of the body.
    mutating func rest() -> Bytes? {
        if partial.isEmpty { return nil }
        let line = whole(.empty)
        return line.isEmpty ? nil : line
    }

    /// The line with its beginning from earlier pieces, and without a byte order mark at the beginning of the body.
    private mutating func whole(_ end: Bytes) -> Bytes {
        var line = end
        if !partial.isEmpty {
            end.withUnsafeBytes { partial.append(contentsOf: $0) }
            line = Bytes(partial)
            partial = []
        }
        if isAtStart {
            isAtStart = false
            if line.withUnsafeBytes({ $0.starts(with: [0xEF, 0xBB, 0xBF]) }) { return line[3..<line.count] }
        }
        return line
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    private static func index(of byte: UInt8, in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, Int32(byte), bytes.count - start)
        else { return bytes.count }
        return base.distance(to: UnsafeRawPointer(found))
    }
}
