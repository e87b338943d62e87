import PlugboardKit
import PlugboardSQLite

/// A response in the store of a fleet: its head, and a small body. The records of a key are one value, which ends with
/// a checksum.
struct FleetRecord: Sendable {
    /// A body of at most this many bytes is part of the record: one round trip reads the whole response.
    static let bodyLimit = 16 << 10
    static let valueLimit = 1 << 20
    /// The most records of a key. The policy keeps 16; processes that do not know of each other may add a few.
    private static let countLimit = 64
    /// No setting lets a longer body be shared.
    private static let lengthLimit = 128 << 20
    private static let format: UInt8 = 1

    /// Random, and above 0; the chunks of the body are found by it.
    let id: Int64
    /// What was there when the response was stored.
    var stamp: FleetStamp
    var response: StoredResponse
    let length: Int
    /// Nil for a body in chunks.
    let body: Bytes?

    var entry: CacheEntry {
        var entry = CacheEntry(id: id, response: response, length: length)
        entry.pieces = length == 0 ? [] : body.map { [$0] }
        return entry
    }

    /// The value. Without the first records, if they are too many or it would be too long.
    static func encoded(_ records: [FleetRecord], of key: CacheKey) -> Bytes {
        var (parts, left) = ([[UInt8]](), valueLimit - 9)
        for record in records.suffix(countLimit).reversed() {
            var writer = ByteWriter(capacity: 1024 + (record.body?.count ?? 0))
            writer.append(record.id)
            record.stamp.write(&writer)
            record.response.encoded(length: record.length).withUnsafeBytes { writer.append($0) }
            writer.append(record.body) { writer, body in body.withUnsafeBytes { writer.append($0) } }
            left -= writer.bytes.count
            if left < 0 { break }
            parts.append(writer.bytes)
        }
        var bytes = [format] + parts.reversed().joined()
        let sum = bytes.withUnsafeBytes { Checksum.of($0, seed: Checksum.of(key.text)) }
        withUnsafeBytes(of: sum.littleEndian) { bytes += $0 }
        return Bytes(bytes)
    }

    /// Nil for a value that this version has not written for this key, and for a damaged one.
    static func decoded(_ value: Bytes, of key: CacheKey) -> [FleetRecord]? {
        value.withUnsafeBytes { bytes in
            guard bytes.count >= 9 else { return nil }
            let records = UnsafeRawBufferPointer(rebasing: bytes.dropLast(8))
            let sum = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: records.count, as: UInt64.self))
            guard sum == Checksum.of(records, seed: Checksum.of(key.text)) else { return nil }
            var reader = ByteReader(records)
            return try? decoded(&reader, of: key)
        }
    }

    private static func decoded(_ reader: inout ByteReader, of key: CacheKey) throws(ByteReader.End) -> [FleetRecord] {
        guard try reader.byte() == format else { throw ByteReader.End() }
        var records: [FleetRecord] = []
        while !reader.isAtEnd {
            let id: Int64 = try reader.number()
            let stamp = try FleetStamp(&reader)
            // The head names its key: what was written for another one is not found here.
            guard id > 0, records.count < countLimit,
                let (response, length) = StoredResponse.decoded(try reader.view()), response.key == key,
                length <= lengthLimit
            else { throw ByteReader.End() }
            let body = try reader.flag() ? Bytes(copying: try reader.view()) : nil
            guard body.map({ $0.count == length }) ?? (length > bodyLimit) else { throw ByteReader.End() }
            records.append(FleetRecord(id: id, stamp: stamp, response: response, length: length, body: body))
        }
        return records
    }
}
