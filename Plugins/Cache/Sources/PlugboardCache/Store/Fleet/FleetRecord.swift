import PlugboardKit
import PlugboardSQLite

/// A response in the store of a fleet: its head, and a small body. The records of a key are one value, which ends with a
/// checksum.
struct FleetRecord: Sendable {
    /// The longest body in the record itself, so that one round trip finds the whole response.
    static let bodyLimit = 16 << 10
    static let valueLimit = 1 << 20
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

    /// The value. Without the first records, if it would be too long.
    static func encoded(_ records: [FleetRecord], of key: CacheKey) -> Bytes {
        var records = records[...]
        while true {
            var writer = ByteWriter(capacity: 1024 + records.reduce(0) { $0 + ($1.body?.count ?? 0) })
            writer.append(format)
            for record in records {
                writer.append(record.id)
                record.stamp.write(&writer)
                record.response.encoded(length: record.length).withUnsafeBytes { writer.append($0) }
                writer.append(record.body) { writer, body in body.withUnsafeBytes { writer.append($0) } }
            }
            writer.append(writer.bytes.withUnsafeBytes { Checksum.of($0, seed: Checksum.of(key.text)) })
            if writer.bytes.count <= valueLimit { return Bytes(writer.bytes) }
            records = records.dropFirst()
        }
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
            guard id > 0, let (response, length) = StoredResponse.decoded(try reader.view()), response.key == key,
                length <= lengthLimit
            else { throw ByteReader.End() }
            let body = try reader.flag() ? Bytes(copying: try reader.view()) : nil
            guard body.map({ $0.count == length }) ?? (length > bodyLimit) else { throw ByteReader.End() }
            records.append(FleetRecord(id: id, stamp: stamp, response: response, length: length, body: body))
        }
        return records
    }
}
