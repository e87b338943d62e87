import PlugboardKit
import PlugboardSQLite
import Testing

@testable import PlugboardCache

/// Values of the store, whoever has written them.
struct FleetRecordTests {
    private let key = CacheKey(text: "key")

    private func records(_ count: Int, length: Int = 1) -> [FleetRecord] {
        (1...count).map { number in
            FleetRecord(
                id: Int64(number),
                stamp: FleetStamp(generation: 1, pattern: 0, key: FleetMarks(), url: FleetMarks()),
                response: .sample("key", url: "https://a.test/\(number)", note: ""), length: length,
                body: Bytes([UInt8](repeating: 1, count: length)))
        }
    }

    @Test(arguments: [1, FleetRecord.bodyLimit])
    func `the latest records of a key are kept where there is no room for all`(length: Int) throws {
        let value = FleetRecord.encoded(records(200, length: length), of: key)
        let ids = try #require(FleetRecord.decoded(value, of: key)).map(\.id)

        #expect(value.count <= FleetRecord.valueLimit)
        #expect(ids.count > 30 && ids.count <= 64 && ids == Array((201 - Int64(ids.count))...200))
    }

    @Test func `a value with more records than are ever written is a miss`() {
        let some = FleetRecord.encoded(records(40), of: key).array.dropLast(8)

        var bytes = Array(some + some.dropFirst())
        let sum = bytes.withUnsafeBytes { Checksum.of($0, seed: Checksum.of(key.text)) }
        withUnsafeBytes(of: sum.littleEndian) { bytes += $0 }

        #expect(FleetRecord.decoded(Bytes(bytes), of: key) == nil)
    }

    @Test(arguments: [(8192, true), (8193, false)])
    func `a pattern that is longer than those written is not compared`(length: Int, isRead: Bool) {
        var writer = ByteWriter(capacity: 64)
        writer.append(UInt64(1))
        writer.append(UInt32(1))
        writer.append(String(repeating: "*", count: length))

        #expect((FleetGeneration(Bytes(writer.bytes)) != nil) == isRead)
    }
}
