import FoundationEssentials
import Plugboard
import PlugboardCodecs
import PlugboardJSON
import PlugboardMessages
import PlugboardPropertyList
import TestSupport
import Testing

private struct Topic: Codable, Equatable {
    var title: String
    var counts: [Int]
    var score: Double
    var isOpen: Bool
    var created: Date
    var image: Data?
    var author: [String: String]
}

@Suite struct `Property lists` {
    private let topic = Topic(
        title: "a < b & ü", counts: [1, -2], score: 0.5, isOpen: true, created: Date(timeIntervalSince1970: 86400),
        image: Data([1, 2, 3]), author: ["name": "n"])

    private func decode<Value>(_ type: Value.Type, _ bytes: Bytes) throws(PlugboardError) -> Value {
        try PropertyListCodec().decode(type, from: bytes, contentType: "application/x-plist")
    }

    private func plist(_ content: String) -> Bytes {
        Bytes("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\(content)</plist>\n")
    }

    @Test(arguments: [PropertyListCodec.Format.xml, .binary])
    func `a value is read as it was written, in either form`(_ format: PropertyListCodec.Format) throws {
        let bytes = try PropertyListCodec(format: format).encode(topic)

        #expect(try decode(Topic.self, bytes) == topic)
        #expect(bytes.text.hasPrefix(format == .xml ? "<?xml" : "bplist00"))
    }

    @Test(arguments: [PropertyListCodec.Format.xml, .binary])
    func `a property list is read as JSON`(_ format: PropertyListCodec.Format) throws {
        let json = try PropertyList.json(from: try PropertyListCodec(format: format).encode([topic]))

        let expected: JSONValue = [
            [
                "author": ["name": "n"], "counts": [1, -2], "created": "1970-01-02T00:00:00Z", "image": "AQID",
                "isOpen": true, "score": 0.5, "title": "a < b & ü",
            ]
        ]
        #expect(json == expected)
    }

    @Test(arguments: [
        ("", "The body is not a property list: it begins neither as XML nor as a binary property list."),
        ("{a = 1;}", "The body is not a property list: it begins neither as XML"),
        ("<plist><dict><key>title</key>", "Encountered"),
        ("<plist><dict><key>title</key><integer>1</integer></dict></plist>", "title: "),
        ("<plist><dict></dict></plist>", "(root): "),
        ("<plist><array x='/>'></array></plist>", "a tag is not ended, or has attributes"),
        ("<!DOCTYPE plist [<!ENTITY e 'x'>]><plist><string>&e;</string></plist>", "DTD"),
        ("bplist00", "its table of objects is damaged"),
        ("bplist00" + String(repeating: "\u{7f}", count: 60), "its table of objects is damaged"),
    ])
    func `what is wrong with a property list is said`(_ text: String, _ reason: String) throws {
        let error = #expect(throws: PlugboardError.self) { try decode(Topic.self, Bytes(text)) }

        #expect(error?.code == .bodyDecode)
        #expect(error?.reason.utf8.containsBytes(reason) == true, "\(error?.reason ?? "")")
    }

    @Test func `text that is not valid in its encoding is an error, wherever it stands`() {
        for (before, after) in [
            ("<integer>", "46</integer>"), ("<real>", "1</real>"), ("<string>", "</string>"), ("<date>", "</date>"),
            ("<data>", "</data>"), ("<dict><key>", "</key><true/></dict>"), ("<!--", "--><true/>"), ("<", "/>"),
            ("<string><![CDATA[", "]]></string>"), ("<string>&", ";</string>"),
        ] {
            let bytes = Bytes(Array("<plist>\(before)".utf8) + [0xFF] + Array("\(after)</plist>".utf8))
            let error = #expect(throws: PlugboardError.self) { try PropertyList.json(from: bytes) }
            #expect(error?.reason == "The body is not XML that can be read: it is not valid in its encoding.")
        }
    }

    @Test func `a property list is read in the encoding that it has`() throws {
        let text = "<?xml version='1.0' encoding='ISO-8859-1'?>\n<!-- x -->\n<plist><string>é</string></plist>"
        let latin = Bytes(text.unicodeScalars.map { UInt8($0.value) })
        let wide = Bytes([0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })

        #expect(try decode(String.self, latin) == "é" && decode(String.self, wide) == "é")
        #expect(try decode(String.self, Bytes("\u{FEFF} <plist><string>é</string></plist>")) == "é")
        #expect(
            try PropertyListCodec().decode(
                String.self, from: Bytes(Array("<plist><string>".utf8) + [0xE9] + Array("</string></plist>".utf8)),
                contentType: "application/x-plist; charset=latin1") == "é")
    }

    @Test func `types that are not codable are refused`() throws {
        struct Plain {}

        #expect(throws: PlugboardError.self) { try PropertyListCodec().encode(Plain()) }
        #expect(throws: PlugboardError.self) { try decode(Plain.self, plist("<dict/>")) }
        #expect(PropertyListCodec().canDecode(Topic.self) && !PropertyListCodec().canDecode(Plain.self))
    }

    @Test func `a list nested too deep is an error, and one as deep as it may be is read`() throws {
        func nested(_ levels: Int) -> Bytes {
            plist(String(repeating: "<array>", count: levels) + String(repeating: "</array>", count: levels))
        }

        #expect(try PropertyList.json(from: nested(256)).arrayValue?.count == 1)
        for levels in [300, 100_000] {
            let error = #expect(throws: PlugboardError.self) { try PropertyList.json(from: nested(levels)) }
            #expect(
                error?.reason == "The body is not a property list: it is nested deeper than the limit of 256.")
        }
    }

    /// A binary list of arrays, each of which refers to these objects.
    private func arrays(_ references: [[UInt8]]) -> Bytes {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for array in references {
            offsets.append(UInt8(bytes.count))
            bytes += [0xA0 | UInt8(array.count)] + array
        }
        let table = UInt8(bytes.count)
        bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
        for number in [UInt8(references.count), 0, table] { bytes += [0, 0, 0, 0, 0, 0, 0, number] }
        return Bytes(bytes)
    }

    @Test func `a binary list that contains itself is an error`() throws {
        let error = #expect(throws: PlugboardError.self) { try PropertyList.json(from: arrays([[0]])) }
        let longer = #expect(throws: PlugboardError.self) { try PropertyList.json(from: arrays([[1], [2], [0]])) }

        #expect(error?.reason == "The body is not a property list: it is nested deeper than the limit of 256.")
        #expect(longer == error)
    }

    @Test func `a short binary list that stands for many values is an error`() throws {
        let doubling = (1...40).map { [UInt8($0), UInt8($0)] } + [[]]

        let error = #expect(throws: PlugboardError.self) { try PropertyList.json(from: arrays(doubling)) }

        #expect(error?.reason == "The body is not a property list: it has more than 10000000 values, with references.")
        #expect(try PropertyList.json(from: arrays([[1, 1], []])).arrayValue?.count == 2)
    }

    @Test func `damaged bytes are an error or another value, and never a crash`() throws {
        for format in [PropertyListCodec.Format.xml, .binary] {
            let bytes = try PropertyListCodec(format: format).encode(topic).array
            for index in bytes.indices {
                for change: UInt8 in [0x01, 0x80, 0xFF] {
                    var damaged = bytes
                    damaged[index] ^= change
                    _ = try? decode(Topic.self, Bytes(damaged))
                    _ = try? PropertyList.json(from: Bytes(damaged))
                }
                _ = try? PropertyList.json(from: Bytes(Array(bytes.prefix(index))))
            }
        }
    }

    @Test func `property lists travel through a kernel`() async throws {
        let server = try LoopbackServer.responding { request in
            ServerResponse(fields: [("Content-Type", request["Content-Type"] ?? "")], body: request.body)
        }
        let kernel = try Kernel()

        let request = try Request(.post, server.url("/"), body: topic, with: PropertyListCodec(format: .binary))
        let echoed = try await kernel.send(request).decode(Topic.self, among: [.json, .propertyList])

        #expect(echoed == topic)
        await kernel.shutDown()
    }
}

extension String.UTF8View {
    fileprivate func containsBytes(_ text: String) -> Bool {
        let (bytes, part) = (Array(self), Array(text.utf8))
        return part.isEmpty || bytes.indices.contains { bytes[$0...].starts(with: part) }
    }
}
