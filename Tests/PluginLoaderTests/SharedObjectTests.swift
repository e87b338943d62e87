import PlugboardKit
import TestSupport
import Testing

@testable import PluginLoader

@Suite struct SharedObjectTests {
    private func read(_ bytes: [UInt8]) throws(PlugboardError) -> String {
        let object = try SharedObject(path: "/x.so", bytes: bytes)
        _ = try object.metadata()
        return try object.entry()
    }

    @Test func `no beginning of a file passes for the file`() throws {
        let bytes = try FixturePlugin.bytes(of: "tagger")

        let codes = (0..<bytes.count).map { length in
            (#expect(throws: PlugboardError.self) { try read(Array(bytes.prefix(length))) })?.code
        }

        #expect(codes.prefix(4).allSatisfy { $0 == .loadingNotELF })
        #expect(codes.dropFirst(4).allSatisfy { $0 == .loadingTruncated })
        #expect(try read(bytes) == "tagger_LTX_plugboard_plugin")
    }

    @Test func `no beginning of a file without sections passes if it lacks what is mapped`() throws {
        var bytes = try FixturePlugin.bytes(of: "tagger")
        for field in [40..<48, 58..<64] { bytes.replaceSubrange(field, with: repeatElement(0, count: field.count)) }
        let object = try SharedObject(path: "/x.so", bytes: bytes)
        let end = Int(object.segments.filter { $0.type == 1 }.map { $0.offset + $0.fileSize }.max() ?? 0)

        let codes = (4..<end).map { length in
            (#expect(throws: PlugboardError.self) { try read(Array(bytes.prefix(length))) })?.code
        }

        #expect(codes.allSatisfy { $0 == .loadingTruncated })
        #expect(try read(Array(bytes.prefix(end))) == "tagger_LTX_plugboard_plugin")
    }

    @Test(arguments: [UInt8(0xff), 0x00, 0x80, 0x7f])
    func `a byte changed anywhere in the tables is accepted or an error, never a crash`(value: UInt8) throws {
        let bytes = try FixturePlugin.bytes(of: "tagger")

        let refused = (0..<bytes.count).count { offset in
            var changed = bytes
            changed[offset] = value
            return (try? read(changed)) == nil
        }

        #expect(refused > 100)
    }

    @Test func `a number too large to be added to is beyond the end`() {
        let reader = ELFReader(bytes: [1, 2, 3, 4])

        #expect(reader.range(UInt64.max, 1) == nil)
        #expect(reader.range(1, UInt64.max) == nil)
        #expect(reader.range(0, entries: UInt64.max, size: 2) == nil)
        #expect(reader.number(2, as: UInt32.self) == nil)
        #expect(reader.number(0, as: UInt32.self) == UInt32(littleEndian: 0x0403_0201))
        #expect(reader.range(4, 0) == 4..<4)
        #expect(reader.text(UInt64.max, before: 4, limit: 10) == nil)
        #expect(reader.text(0, before: 4, limit: 10) == nil)
    }
}
