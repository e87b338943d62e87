import Plugboard
import Testing

@testable import PlugboardCodecs

struct TextTests {
    private func text(_ bytes: [UInt8], _ type: String?) async throws -> String {
        var fields = Fields()
        fields[.contentType] = type
        return try await Response(head: ResponseHead(status: 200, fields: fields), body: .bytes(bytes)).text()
    }

    @Test(arguments: [
        ("text/plain", Array("é".utf8), "é"), ("text/plain; charset=utf-8", [0xEF, 0xBB, 0xBF, 0x61], "a"),
        ("text/plain; charset=ISO-8859-1", [0x63, 0xE9, 0x80, 0x9D], "cé€\u{9D}"),
        ("text/plain; charset=us-ascii", [0x61, 0x92], "a’"),
        ("text/plain; charset=utf-16", [0x61, 0, 0x3D, 0xD8, 0, 0xDE], "a😀"),
        ("text/plain; charset=UTF-16BE", [0, 0x61, 0xD8, 0x3D, 0xDE, 0], "a😀"),
        ("text/plain; charset=utf-8", [0xFE, 0xFF, 0, 0x61], "a"),
        ("text/plain; charset=latin1", [0xFF, 0xFE, 0x61, 0], "a"),
        ("text/html; charset=\"Shift_JIS\"", [0x93, 0xFA, 0x96, 0x7B], "日本"),
        ("text/html; charset=gb2312", [0xC4, 0xE3, 0xBA, 0xC3], "你好"),
        ("text/html; charset=big5", [0xA7, 0x41, 0xA6, 0x6E], "你好"),
        ("text/html; charset=euc-kr", [0xB0, 0xA1], "가"), ("text/html; charset=euc-jp", [0xC6, 0xFC], "日"),
        ("text/html; charset=iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42, 0x61], "日a"),
        ("text/html; charset=windows-1251", [0xCF, 0xF0], "Пр"), ("text/html; charset=koi8-r", [0xF0], "П"),
        ("text/html; charset=iso-8859-15", [0xA4], "€"), ("text/html; charset=unheard-of", Array("é".utf8), "é"),
        ("text/html; charset=", Array("é".utf8), "é"), ("text/html; charset= iso-8859-1", [0xE9], "é"),
        ("text/html; x=\"; charset=utf-16\"; charset=latin1", [0xE9], "é"),
        ("text/html; x y=\"; charset=utf-16\"; charset=latin1", [0xE9], "é"),
    ])
    func `a text is read in the charset of its mark, else of its content type, else in UTF-8`(
        type: String, bytes: [UInt8], expected: String
    ) async throws {
        #expect(try await text(bytes, type) == expected)
    }

    @Test(arguments: ["utf-8", "utf-16", "utf-16be", "shift_jis", "gb18030", "euc-jp", "iso-2022-jp", "koi8-r", "big5"])
    func `invalid and cut bytes become replacement characters`(charset: String) async throws {
        for bytes in [[0x81], [0xFF, 0xFF, 0xFF], [0x80, 0x61, 0xE3], [0x1B, 0x24], [0xD8, 0x00, 0xD8]] as [[UInt8]] {
            let text = try await text([0x61, 0x61] + bytes, "text/plain; charset=\(charset)")
            #expect(!text.isEmpty)
        }
        let every = (0..<5).flatMap { _ in (0...255).map { UInt8($0) } }
        #expect(!(try await text(every, "text/plain; charset=\(charset)")).isEmpty)
    }

    @Test func `an invalid byte does not hide what follows it`() async throws {
        #expect(try await text([0x61, 0xFF, 0x62], "text/plain; charset=shift_jis") == "a\u{FFFD}b")
        #expect(try await text([0x61, 0x81], "text/plain; charset=shift_jis") == "a\u{FFFD}")
        #expect(try await text([0x61, 0, 0x62], "text/plain; charset=utf-16le") == "a\u{FFFD}")
    }

    @Test func `a character stands where its byte is, although the system waits for an accent that it could compose`()
        async throws
    {
        let hebrew = try await text([0x68, 0xF9, 0xFF, 0x21, 0xF9], "text/plain; charset=windows-1255")
        let vietnamese = try await text([0xFD, 0x81, 0x21, 0xFD], "text/plain; charset=windows-1258")

        #expect(hebrew == "h\u{5E9}\u{FFFD}!\u{5E9}" && vietnamese == "\u{1B0}\u{81}!\u{1B0}")
    }

    @Test func `a charset for which this system has no tables is an error`() throws {
        let unknown = #expect(throws: PlugboardError.self) {
            try CharsetDecoder.text(of: Bytes("a"), charset: "NO-SUCH")
        }

        #expect(unknown?.code == .bodyDecode)
    }

    @Test(arguments: [
        // An accent is a character of its own, and what is invalid stands where its byte stood.
        ("windows-1255", Array("hello".utf8) + [0x81] + Array(" world".utf8), "hello\u{81} world"),
        ("windows-1255", [0xE9, 0xD9, 0x61, 0xC5, 0xD9, 0x62], "\u{5D9}\u{FFFD}a\u{5B5}\u{FFFD}b"),
        ("windows-1258", [0x61, 0xEC, 0x62, 0xD2, 0x63], "a\u{301}b\u{309}c"),
        ("windows-1253", [0x61, 0x81, 0xD2, 0x62], "a\u{81}\u{FFFD}b"),
        ("koi8-u", [0xAE, 0xBE], "ўЎ"), ("macintosh", [0xC6, 0xF0], "∆\u{F8FF}"), ("x-mac-cyrillic", [0xFF], "€"),
        ("gbk", [0x80, 0x61, 0xA3, 0xA0], "€a\u{3000}"),
        ("gb18030", [0x81, 0x30, 0x81, 0x30, 0x81, 0x30, 0x61, 0xFE, 0x39, 0xFE], "\u{80}\u{FFFD}0a\u{FFFD}"),
        ("big5", [0xA1, 0x45, 0x88, 0x62, 0x81, 0x22, 0xC8], "‧Ê̄\u{FFFD}\"\u{FFFD}"),
        ("euc-jp", [0xA1, 0xC1, 0xAD, 0xA1, 0x8E, 0xB1, 0x8F, 0xB0, 0xA1, 0x80, 0xA1, 0x22], "～①ｱ丂\u{FFFD}\u{FFFD}\""),
        ("shift_jis", [0x80, 0x5C, 0xB1, 0x81, 0x22, 0xA0, 0xFD], "\u{80}\\ｱ\u{FFFD}\"\u{FFFD}\u{FFFD}"),
        ("iso-2022-jp", [0x1B, 0x28, 0x4A, 0x5C, 0x1B, 0x28, 0x49, 0x31, 0x1B, 0x24, 0x42, 0x2D, 0x21], "¥ｱ①"),
        ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x1B, 0x28, 0x42, 0x61, 0x1B, 0x24, 0x0E], "\u{FFFD}a\u{FFFD}$\u{FFFD}"),
        ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x1B, 0x28, 0x42, 0x61, 0xC6], "\u{FFFD}a\u{FFFD}"),
        ("x-user-defined", [0x61, 0x80, 0xFF], "a\u{F780}\u{F7FF}"), ("hz-gb-2312", [0x61, 0x62], "\u{FFFD}"),
        ("utf-16le", [0x61, 0, 0x3D, 0xD8, 0], "a\u{FFFD}"), ("utf- 8", [0xC3, 0xA9], "é"),
    ])
    func `a text is read as the encoding standard says, also where it is invalid`(
        charset: String, bytes: [UInt8], expected: String
    ) async throws {
        let text = try await text(bytes, "text/plain; charset=\"\(charset)\"")

        #expect(Array(text.unicodeScalars) == Array(expected.unicodeScalars))
    }

    @Test func `a large text in a charset of the system is converted whole`() async throws {
        let text = try await text(
            (0..<100_000).flatMap { _ in [0x93, 0xFA] as [UInt8] }, "text/plain; charset=shift_jis")

        #expect(text.utf8.count == 300_000 && text.unicodeScalars.allSatisfy { $0 == "日" })
    }
}
