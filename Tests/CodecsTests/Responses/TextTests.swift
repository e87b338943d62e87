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
        ("text/html; charset=", Array("é".utf8), "é"),
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

    @Test func `the system reads every charset of the standard that has a name here`() throws {
        let labels = [
            "ibm866", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8",
            "iso-8859-8-i", "iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16", "koi8-r",
            "koi8-u", "macintosh", "windows-874", "windows-1250", "windows-1251", "windows-1253", "windows-1254",
            "windows-1255", "windows-1256", "windows-1257", "windows-1258", "x-mac-cyrillic", "gbk", "gb18030", "big5",
            "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr",
        ]

        for label in labels {
            guard case .system(let name) = Charset(label: label) else {
                Issue.record("\(label) has no name")
                continue
            }
            #expect(try SystemCharset(name).text(of: Bytes("a")) == "a", "\(label)")
        }
        let unknown = #expect(throws: PlugboardError.self) { try SystemCharset("NO-SUCH").text(of: Bytes("a")) }
        #expect(unknown?.code == .bodyDecode)
    }

    @Test func `a large text in a charset of the system is converted whole`() async throws {
        let text = try await text(
            (0..<100_000).flatMap { _ in [0x93, 0xFA] as [UInt8] }, "text/plain; charset=shift_jis")

        #expect(text.utf8.count == 300_000 && text.unicodeScalars.allSatisfy { $0 == "日" })
    }
}
