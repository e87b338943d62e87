import PlugboardKit

/// The head of an entry as bytes of a file: texts and numbers in sequence, numbers little-endian, each text after its
/// length.
///
/// The first byte is the version of the format; a head of another version counts as absent. Secret fields, such as
/// `Set-Cookie`, stay in memory and are left out.
extension StoredResponse {
    static let format: UInt8 = 2

    /// - Parameter length: The length of the body, which is stored and checked with the head.
    func encoded(length: Int) -> [UInt8] {
        var writer = ByteWriter(
            capacity: 160 + key.text.utf8.count + url.utf8.count + fields.byteCount + 16 * fields.count)
        writer.append(StoredResponse.format)
        writer.append(Int64(clamping: length))
        writer.append(key.text)
        writer.append(url)
        writer.append(Int64(clamping: status))
        writer.append(requested)
        writer.append(received)
        writer.append(version)
        writer.append(timeToLive) { $0.append($1) }
        writer.append(UInt8(isInvalidated ? 1 : 0))
        writer.append(range) { writer, range in
            writer.append(Int64(clamping: range.first))
            writer.append(range.complete) { $0.append(Int64(clamping: $1)) }
        }
        writer.append(UInt32(clamping: selecting.count))
        for field in selecting {
            writer.append(field.name)
            writer.append(field.value) { $0.append($1) }
        }
        let kept = (0..<fields.count).filter { !fields.isSecret(at: $0) }
        writer.append(UInt32(clamping: kept.count))
        for index in kept {
            fields.withField(index) { name, value in
                writer.append(name)
                writer.append(value)
            }
        }
        return writer.bytes
    }

    /// Nil if the bytes are not a head of this format.
    static func decoded(_ bytes: UnsafeRawBufferPointer) -> (response: StoredResponse, length: Int)? {
        var reader = ByteReader(bytes)
        guard let decoded = try? decoded(&reader), reader.isAtEnd else { return nil }
        return decoded
    }

    private static func decoded(_ reader: inout ByteReader) throws(ByteReader.End) -> (StoredResponse, Int) {
        guard try reader.byte() == format else { throw ByteReader.End() }
        let length = Int(try reader.number() as Int64)
        guard length >= 0 else { throw ByteReader.End() }
        var response = StoredResponse(
            key: CacheKey(text: try reader.text()), url: try reader.text(), status: Int(try reader.number() as Int64),
            fields: Fields(), requested: try reader.duration(), received: try reader.duration())
        response.version = try reader.text()
        if try reader.flag() { response.timeToLive = try reader.duration() }
        response.isInvalidated = try reader.flag()
        if try reader.flag() {
            let first = Int(try reader.number() as Int64)
            let complete = try reader.flag() ? Int(try reader.number() as Int64) : nil
            // Negative numbers are damage.
            guard first >= 0, complete ?? 0 >= 0 else { throw ByteReader.End() }
            response.range = StoredRange(first: first, complete: complete)
        }
        // Memory is not reserved by these counts, because they may be damaged: each element is read first.
        for _ in 0..<(try reader.number() as UInt32) {
            let name = try reader.text()
            response.selecting.append(SelectingField(name: name, value: try reader.flag() ? try reader.text() : nil))
        }
        let count = Int(try reader.number() as UInt32)
        response.fields.reserve(fields: min(count, 64), bytes: min(reader.left, 64 << 10))
        for _ in 0..<count {
            let name = try reader.view()
            response.fields.append(name, try reader.view())
        }
        return (response, length)
    }

    /// The approximate memory of the head, with the copy that its last user got.
    var cost: Int { 512 + 2 * key.text.utf8.count + 2 * url.utf8.count + 2 * (fields.byteCount + 40 * fields.count) }
}

/// Writes numbers and texts in sequence.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ view: UnsafeRawBufferPointer) {
        append(UInt32(clamping: view.count))
        bytes.append(contentsOf: view)
    }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    mutating func append(_ duration: Duration) {
        append(duration.components.seconds)
        append(duration.components.attoseconds)
    }

    /// Writes whether there is a value, and then the value.
    mutating func append<Value>(_ optional: Value?, _ write: (inout ByteWriter, Value) -> Void) {
        append(UInt8(optional == nil ? 0 : 1))
        if let optional { write(&self, optional) }
    }
}

/// Reads the output of `ByteWriter`, and never beyond the end of the bytes.
struct ByteReader {
    /// Bytes are missing or invalid.
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

    /// The bytes without a copy.
    mutating func view() throws(End) -> UnsafeRawBufferPointer {
        let count = Int(try number() as UInt32)
        let start = try advance(count)
        return UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
    }

    mutating func text() throws(End) -> String { String(decoding: try view(), as: UTF8.self) }

    mutating func duration() throws(End) -> Duration {
        let seconds: Int64 = try number()
        let attoseconds: Int64 = try number()
        // Larger components are damage, and their sum could overflow.
        guard seconds.magnitude < 1 << 62, attoseconds.magnitude < 1_000_000_000_000_000_000 else { throw End() }
        return Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
    }

    private mutating func advance(_ count: Int) throws(End) -> Int {
        guard count <= left else { throw End() }
        defer { offset += count }
        return offset
    }
}
