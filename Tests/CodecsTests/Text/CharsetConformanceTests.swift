import PlugboardJSON
import PlugboardMessages
import TestSupport
import Testing

@testable import PlugboardCodecs

/// The tables of the WHATWG Encoding standard, each character by itself.
@Suite(.enabled(if: Conformance.path("text/encoding") != nil, "skipped: PLUGBOARD_CONFORMANCE has no text/encoding"))
struct `Charsets as the encoding standard lists them` {
    private let encodings: JSONValue
    private let indexes: JSONValue

    init() throws {
        encodings = try Conformance.json("text/encoding/encodings.json")
        indexes = try Conformance.json("text/encoding/indexes.json")
    }

    /// Each code point by its pointer, nil where there is none.
    private func index(_ name: String) throws -> [UInt32?] {
        try #require(indexes[name]?.arrayValue).map { $0.intValue.map { UInt32($0) } }
    }

    /// Sequences of bytes and what they stand for, which are read as one text.
    private struct Listed {
        var bytes: [UInt8] = []
        var expected: [UInt32] = []

        /// Without a character, the sequence is invalid, and ends before a byte of ASCII.
        mutating func add(_ sequence: [UInt8], _ character: [UInt32]?) {
            let last = sequence.last ?? 0
            // A mark after each keeps a mistake from spoiling the next one.
            bytes += sequence + [0x21]
            expected += (character ?? [0xFFFD] + (last < 0x80 ? [UInt32(last)] : [])) + [0x21]
        }

        func check(_ label: String) throws {
            let text = try Charset(label: label)?.text(of: Bytes(bytes)) ?? ""
            let read = text.unicodeScalars.map(\.value)
            guard read != expected else { return }
            let first = zip(read, expected).enumerated().first { $0.element.0 != $0.element.1 }
            Issue.record("\(label): \(first.map { "scalar \($0)" } ?? "the text is cut")")
        }
    }

    @Test func `every label is known`() throws {
        for group in try #require(encodings.arrayValue) {
            for encoding in try #require(group["encodings"]?.arrayValue) {
                let labels = try #require(encoding["labels"]?.arrayValue).compactMap(\.stringValue)
                let charsets = labels.map { Charset(label: " \($0.uppercased())\n") }
                #expect(charsets.allSatisfy { $0 != nil && $0 == charsets.first }, "\(labels)")
            }
        }
        #expect(Charset(label: "utf-7") == nil && Charset(label: "") == nil)
    }

    @Test func `every byte of the encodings with one byte a character is read as listed`() throws {
        let names = try #require(encodings.arrayValue?.first { $0["heading"] == "Legacy single-byte encodings" })
        for encoding in try #require(names["encodings"]?.arrayValue) {
            let label = try #require(encoding["name"]?.stringValue).lowercased()
            let name = label == "iso-8859-8-i" ? "iso-8859-8" : label
            var listed = Listed()
            for (position, character) in try index(name).enumerated() {
                listed.add([UInt8(0x80 + position)], character.map { [$0] })
            }
            try listed.check(label)
        }
    }

    @Test func `every pair of EUC-KR is read as listed`() throws {
        var listed = Listed()
        for (pointer, character) in try index("euc-kr").enumerated() {
            listed.add([UInt8(pointer / 190 + 0x81), UInt8(pointer % 190 + 0x41)], character.map { [$0] })
        }
        try listed.check("euc-kr")
    }

    @Test func `every pair of Big5 is read as listed`() throws {
        let accented: [Int: [UInt32]] = [
            1133: [0xCA, 0x304], 1135: [0xCA, 0x30C], 1164: [0xEA, 0x304], 1166: [0xEA, 0x30C],
        ]
        var listed = Listed()
        for (pointer, character) in try index("big5").enumerated() {
            let trail = pointer % 157 + (pointer % 157 < 0x3F ? 0x40 : 0x62)
            listed.add([UInt8(pointer / 157 + 0x81), UInt8(trail)], accented[pointer] ?? character.map { [$0] })
        }
        try listed.check("big5")
    }

    @Test(arguments: ["gbk", "gb18030"])
    func `every pair of gb18030 is read as listed`(label: String) throws {
        var listed = Listed()
        for (pointer, character) in try index("gb18030").enumerated() {
            let trail = pointer % 190 + (pointer % 190 < 0x3F ? 0x40 : 0x41)
            listed.add([UInt8(pointer / 190 + 0x81), UInt8(trail)], character.map { [$0] })
        }
        try listed.check(label)
    }

    @Test func `the sequences of four bytes in gb18030 are read as listed`() throws {
        let ranges = try #require(indexes["gb18030-ranges"]?.arrayValue).compactMap { range in
            range.arrayValue.map { pair in pair.compactMap { $0.intValue.map { Int($0) } } }
        }
        var listed = Listed()
        for (range, next) in zip(ranges, ranges.dropFirst() + [[1_237_576, 0]]) {
            // The bounds of each range, and what stands between the ranges of both planes.
            let last = range[0] < 39420 ? min(next[0], 39420) : next[0]
            var pointers = [range[0], last - 1]
            if last - range[0] < 2000 { pointers = Array(range[0]..<last) }
            for pointer in pointers {
                let character = pointer == 7457 ? 0xE7C7 : range[1] + pointer - range[0]
                listed.add(fourBytes(pointer), [UInt32(character)])
            }
        }
        for pointer in [39420, 100_000, 188_999, 1_237_576] {
            listed.bytes += fourBytes(pointer)
            listed.expected.append(0xFFFD)
        }
        try listed.check("gb18030")
    }

    private func fourBytes(_ pointer: Int) -> [UInt8] {
        [
            UInt8(pointer / 12600 + 0x81), UInt8(pointer / 1260 % 10 + 0x30), UInt8(pointer / 10 % 126 + 0x81),
            UInt8(pointer % 10 + 0x30),
        ]
    }

    @Test func `every pair of the Japanese encodings is read as listed`() throws {
        var (shiftJIS, eucJP, iso2022JP) = (Listed(), Listed(), Listed())
        for (pointer, character) in try index("jis0208").enumerated() {
            let (row, column) = (pointer / 188, pointer % 188)
            let lead = row + (row < 0x1F ? 0x81 : 0xC1)
            if lead <= 0xFC {
                let own = 8836...10715 ~= pointer ? UInt32(0xE000 - 8836 + pointer) : character
                shiftJIS.add([UInt8(lead), UInt8(column + (column < 0x3F ? 0x40 : 0x41))], own.map { [$0] })
            }
            guard pointer < 94 * 94 else { continue }
            let pair = [UInt8(pointer / 94 + 0x21), UInt8(pointer % 94 + 0x21)]
            eucJP.add(pair.map { $0 | 0x80 }, character.map { [$0] })
            iso2022JP.bytes += [0x1B, 0x24, 0x42] + pair + [0x1B, 0x28, 0x42, 0x21]
            iso2022JP.expected += [character ?? 0xFFFD, 0x21]
        }
        for (pointer, character) in try index("jis0212").enumerated() {
            eucJP.add([0x8F, UInt8(pointer / 94 + 0xA1), UInt8(pointer % 94 + 0xA1)], character.map { [$0] })
        }
        for byte in UInt8(0xA1)...0xDF {
            let character = UInt32(byte) + 0xFF61 - 0xA1
            shiftJIS.add([byte], [character])
            eucJP.add([0x8E, byte], [character])
        }
        try shiftJIS.check("shift_jis")
        try eucJP.check("euc-jp")
        try iso2022JP.check("iso-2022-jp")
    }
}
