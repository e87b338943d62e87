import PlugboardKit

/// The head of an entry as bytes of a file: texts and numbers one after the other, each number little-endian, each
/// text behind its length.
///
/// The first byte is the format's version. A new field is a new version, which goes on reading the old one.
extension StoredResponse {
    private static let format: UInt8 = 1
    private static let secret: UInt8 = 1

    /// - Parameter length: of the body, which belongs to the head: it is checked with it.
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
        writer.append(UInt32(clamping: fields.count))
        for index in 0..<fields.count {
            writer.append(fields.isSecret(at: index) ? StoredResponse.secret : 0)
            fields.withField(index) { name, value in
                writer.append(name)
                writer.append(value)
            }
        }
        return writer.bytes
    }

    /// Nil if the bytes are not such a head, or one of a later version.
    static func decoded(_ bytes: UnsafeRawBufferPointer) -> (answer: StoredResponse, length: Int)? {
        var reader = ByteReader(bytes)
        guard let decoded = try? decoded(&reader), reader.isAtEnd else { return nil }
        return decoded
    }

    private static func decoded(_ reader: inout ByteReader) throws(ByteReader.End) -> (StoredResponse, Int) {
        guard try reader.byte() == format else { throw ByteReader.End() }
        let length = Int(try reader.number() as Int64)
        guard length >= 0 else { throw ByteReader.End() }
        var answer = StoredResponse(
            key: CacheKey(text: try reader.text()), url: try reader.text(), status: Int(try reader.number() as Int64),
            fields: Fields(), requested: try reader.duration(), received: try reader.duration())
        answer.version = try reader.text()
        if try reader.flag() { answer.timeToLive = try reader.duration() }
        answer.isInvalidated = try reader.flag()
        if try reader.flag() {
            let first = Int(try reader.number() as Int64)
            let complete = try reader.flag() ? Int(try reader.number() as Int64) : nil
            // What cannot be counted from is damage.
            guard first >= 0, complete ?? 0 >= 0 else { throw ByteReader.End() }
            answer.range = StoredRange(first: first, complete: complete)
        }
        // Counts are not trusted with memory: each element is read before room is made for it.
        for _ in 0..<(try reader.number() as UInt32) {
            let name = try reader.text()
            answer.selecting.append(SelectingField(name: name, value: try reader.flag() ? try reader.text() : nil))
        }
        let count = Int(try reader.number() as UInt32)
        answer.fields.reserve(fields: min(count, 64), bytes: min(reader.left, 64 << 10))
        for _ in 0..<count {
            let flags = try reader.byte()
            let name = try reader.view()
            answer.fields.append(name, try reader.view())
            if flags & secret != 0 { answer.fields.markSecret(name) }
        }
        return (answer, length)
    }

    /// What the head takes in memory, about.
    var cost: Int { 512 + 2 * key.text.utf8.count + 2 * url.utf8.count + fields.byteCount + 40 * fields.count }
}
