/// Reads what `ByteWriter` wrote, and never beyond the end.
struct ByteReader {
    /// There are fewer bytes than should be, or they are not what they should be.
    struct End: Error {}

    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    /// The bytes must outlive the reader and its views.
    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var left: Int { bytes.count - offset }
    var isAtEnd: Bool { left == 0 }

    mutating func byte() throws(End) -> UInt8 { try number() }

    mutating func flag() throws(End) -> Bool { try byte() != 0 }

    mutating func number<Number: FixedWidthInteger & BitwiseCopyable>() throws(End) -> Number {
        let start = try advance(MemoryLayout<Number>.size)
        return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: Number.self))
    }

    /// Bytes in place.
    mutating func view() throws(End) -> UnsafeRawBufferPointer {
        let count = Int(try number() as UInt32)
        let start = try advance(count)
        return UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
    }

    mutating func text() throws(End) -> String { String(decoding: try view(), as: UTF8.self) }

    mutating func duration() throws(End) -> Duration {
        let seconds: Int64 = try number()
        let attoseconds: Int64 = try number()
        // What cannot come of a duration is damage; its sum could overflow.
        guard seconds.magnitude < 1 << 62, attoseconds.magnitude < 1_000_000_000_000_000_000 else { throw End() }
        return Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
    }

    private mutating func advance(_ count: Int) throws(End) -> Int {
        guard count <= left else { throw End() }
        defer { offset += count }
        return offset
    }
}
