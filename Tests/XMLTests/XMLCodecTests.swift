import Plugboard
import PlugboardCodecs
import PlugboardMessages
import PlugboardXML
import TestSupport
import Testing

private struct Topic: Codable, Equatable {
    struct Author: Codable, Equatable {
        var name: String
        var isStaff: Bool?
    }
    enum State: String, Codable { case open, closed }

    var id: Int
    var state: State
    var title: String
    var score: Double?
    var labels: [String]
    var authors: [Author]
    var matrix: [[Int]]
    var note: String?

    enum CodingKeys: String, CodingKey {
        case id = "@id", state = "@state", title, score, labels = "label", authors = "author", matrix = "row", note
    }
}

private struct Link: Codable, Equatable {
    var href: String
    var text: String
    enum CodingKeys: String, CodingKey { case href = "@href", text = "#text" }
}

private struct Tree: Codable, Equatable {
    var child: [Tree]
}

@Suite struct `XML` {
    private let topic = Topic(
        id: 7, state: .open, title: "a < b & \"c\" ]]> ü\r\n", score: 0.5, labels: ["x", ""],
        authors: [.init(name: "n", isStaff: true), .init(name: "m", isStaff: nil)], matrix: [[1, 2], [], [3]])

    private func decode<Value>(_ type: Value.Type, _ text: String) throws(PlugboardError) -> Value {
        try XMLCodec().decode(type, from: Bytes(text), contentType: "application/xml")
    }

    @Test func `a value is written with its attributes and lists, and read again`() throws {
        let bytes = try XMLCodec(root: "topic").encode(topic)

        #expect(
            bytes.text == "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                + "<topic id=\"7\" state=\"open\"><title>a &lt; b &amp; \"c\" ]]&gt; ü&#13;\n</title><score>0.5</score>"
                + "<label>x</label><label/><author><name>n</name><isStaff>true</isStaff></author>"
                + "<author><name>m</name></author><row><item>1</item><item>2</item></row><row/>"
                + "<row><item>3</item></row></topic>")
        #expect(try decode(Topic.self, bytes.text) == topic)
    }

    @Test func `elements and attributes are found by name, with or without a prefix and in any order`() throws {
        let text = """
            <?xml version="1.0" encoding="ISO-8859-1"?>
            <!DOCTYPE topic SYSTEM "file:///does-not-exist.dtd">
            <!-- <not an element> -->
            <a:topic xmlns:a="urn:a" state='closed' id=' 8 '>
              <row><item> 1 </item></row><a:label>p</a:label><title><![CDATA[<raw> ]]>&amp; more</title>
              <unread><x/></unread><label>q</label>
            </a:topic>
            """

        let topic = try decode(Topic.self, text)

        #expect(
            topic
                == Topic(
                    id: 8, state: .closed, title: "<raw> & more", labels: ["p", "q"], authors: [], matrix: [[1]]))
    }

    @Test func `the text of an element stands beside its attributes`() throws {
        let link = Link(href: "/a?b&c=\"\n", text: "here")

        let bytes = try XMLCodec().encode([link])

        #expect(bytes.text.hasSuffix("<root><item href=\"/a?b&amp;c=&quot;&#10;\">here</item></root>"))
        #expect(try decode([Link].self, bytes.text) == [link])
        #expect(try decode([String: Int].self, "<r><a>1</a><b>2</b></r>") == ["a": 1, "b": 2])
        #expect(try decode([Int?].self, try XMLCodec().encode([1, nil, 2]).text) == [1, nil, 2])
    }

    @Test func `a document is read as a tree, and written again`() throws {
        let tree = try decode(XMLTree.self, "<r a='1'><b>x</b><c><d/></c><b>y</b>z</r>")

        #expect(tree["b"].map(\.text) == ["x", "y"] && tree[attribute: "a"] == "1" && tree.text == "z")
        #expect(try decode(XMLTree.self, try XMLCodec().encode(tree).text) == tree)
    }

    @Test(arguments: [
        ("", "The body is not XML that can be read: it is empty."),
        ("<topic>\n <a", "line 2, column 2: the document is not complete"),
        ("<topic>\n<a></b></topic>", "an element ends with the name of another"),
        ("<topic/>junk", "there is content after the root element"),
        ("<topic>&nbsp;</topic>", "an entity is not declared"),
        ("<topic></topic>", "@id: the element or attribute is missing"),
        ("<topic id='x'></topic>", "@id: a number is expected that fits in Int"),
        ("<topic id='1' state='ajar'></topic>", "@state: "),
        (
            "<topic id='1' state='open'><title/><author><name>n</name><isStaff>maybe</isStaff></author></topic>",
            "author[0].isStaff: true or false is expected"
        ),
    ])
    func `what is wrong with a document is said`(_ text: String, _ reason: String) throws {
        let error = #expect(throws: PlugboardError.self) { try decode(Topic.self, text) }

        #expect(error?.code == .bodyDecode)
        let told = Array((error?.reason ?? "").utf8)
        #expect(told.indices.contains { told[$0...].starts(with: reason.utf8) }, "\(error?.reason ?? "")")
    }

    @Test func `entities are neither loaded nor expanded`() throws {
        let laughs = (1...9).map { "<!ENTITY a\($0) '\(String(repeating: "&a\($0 - 1);", count: 10))'>" }.joined()
        for text in [
            "<!DOCTYPE r [<!ENTITY e SYSTEM 'file:///etc/hostname'>]><r>&e;</r>",
            "<!DOCTYPE r [<!ENTITY % e SYSTEM 'file:///etc/hostname'> %e;]><r/>",
            "<?xml version='1.0'?><!-- x --><!DOCTYPE r PUBLIC '-' \"[']\" [\n<!ENTITY e 'x'>]><r>&e;</r>",
            "<!DOCTYPE r [<!ENTITY a0 'lol'>\(laughs)]><r>&a9;</r>",
        ] {
            let error = #expect(throws: PlugboardError.self) { try decode(XMLTree.self, text) }
            #expect(
                error?.reason == "The body is not XML that can be read: "
                    + "it has a document type with declarations of its own, which are not read.")
            let wide = Bytes([0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
            let wideError = #expect(throws: PlugboardError.self) {
                try XMLCodec().decode(XMLTree.self, from: wide, contentType: nil)
            }
            #expect(wideError == error)
        }
        let external = try decode(XMLTree.self, "<!DOCTYPE r SYSTEM 'file:///etc/hostname'><r>x</r>")
        #expect(external.text == "x")
    }

    private func bytes(_ pieces: Any...) -> Bytes {
        Bytes(pieces.flatMap { piece in (piece as? [UInt8]) ?? Array("\(piece)".utf8) })
    }

    @Test func `bytes that are not valid in the encoding are an error, wherever they stand`() {
        for (before, after) in [
            ("<!--", "--><a/>"), ("<?x ", "?><a/>"), ("<a>&", ";</a>"), ("<a xmlns:", "='u'/>"), ("<", "/>"),
            ("<a b='", "'/>"),
            ("<a>", "</a>"), ("<a><![CDATA[", "]]></a>"), ("<!DOCTYPE ", "><a/>"),
            ("<?xml version='1.0' encoding='shift_jis'?><a>", "</a>"),
        ] {
            let error = #expect(throws: PlugboardError.self) {
                try XMLCodec().decode(XMLTree.self, from: bytes(before, [0xFF] as [UInt8], after), contentType: nil)
            }
            #expect(error?.reason == "The body is not XML that can be read: it is not valid in its encoding.")
        }
    }

    @Test func `what is well formed is read, although other parsers warn of it`() throws {
        for (text, expected) in [
            ("<?x?><a/>", XMLTree("a")), ("<?xml version='1.1'?><a/>", XMLTree("a")),
            ("<a xmlns='u' xmlns:b='../v'/>", XMLTree("a", attributes: [("xmlns", "u"), ("xmlns:b", "../v")])),
            ("<b:a/>", XMLTree("b:a")), ("<a z='1' b='2'/>", XMLTree("a", attributes: [("z", "1"), ("b", "2")])),
        ] {
            #expect(try decode(XMLTree.self, text) == expected)
        }
    }

    @Test(
        arguments: [
            (nil, [0x3C, 0x61, 0x3E, 0xC3, 0xA9], "é"),
            ("text/xml; charset=iso-8859-1", [0x3C, 0x61, 0x3E, 0xE9], "é"),
            ("text/xml; charset=\"big5\"", [0x3C, 0x61, 0x3E, 0xA7, 0x41], "你"),
            ("text/xml; charset=iso-8859-1", [0xEF, 0xBB, 0xBF, 0x3C, 0x61, 0x3E, 0xC3, 0xA9], "é"),
            ("text/xml", Array("<?xml version='1.0' encoding = \"koi8-r\"?><a>".utf8) + [0xF0], "П"),
            ("a/xml; charset=utf-8", Array("<?xml version='1.0' encoding='koi8-r'?><a>".utf8) + [0xC3, 0xA9], "é"),
            (nil, Array("<?xml version='1.0' encoding='utf-16'?><a>".utf8) + [0xC3, 0xA9], "é"),
        ] as [(String?, [UInt8], String)])
    func `the encoding is that of the mark, else of the content type, else of the declaration`(
        type: String?, start: [UInt8], expected: String
    ) throws {
        let tree = try XMLCodec().decode(XMLTree.self, from: bytes(start, "</a>"), contentType: type)

        #expect(tree.text == expected)
    }

    @Test(arguments: [true, false])
    func `a document in UTF-16 is read, with a mark or without one`(isBigEndian: Bool) throws {
        for text in ["<a>é😀</a>", "\u{FEFF}<?xml version='1.0' encoding='UTF-16'?><a>é😀</a>"] {
            let units = text.utf16.map { isBigEndian ? $0.bigEndian : $0.littleEndian }
            let bytes = units.withUnsafeBytes { Bytes(copying: $0) }
            #expect(try XMLCodec().decode(XMLTree.self, from: bytes, contentType: nil).text == "é😀")
        }
    }

    @Test func `a document in an encoding that is not known is an error`() throws {
        let reason = "The body is not XML that can be read: its encoding utf-7 is not known."
        for (type, text) in [
            ("text/xml; charset=utf-7", "+ADw-a/+AD4-"),
            ("text/xml", "<?xml version='1.0' encoding='utf-7'?><a>+AOk-</a>"),
        ] {
            let error = #expect(throws: PlugboardError.self) {
                try XMLCodec().decode(XMLTree.self, from: Bytes(text), contentType: type)
            }
            #expect(error?.reason == reason)
        }
        // `<?xml version="1.0"?><a/>` in EBCDIC.
        let ebcdic: [UInt8] = [
            0x4C, 0x6F, 0xA7, 0x94, 0x93, 0x40, 0xA5, 0x85, 0x99, 0xA2, 0x89, 0x96, 0x95, 0x7E, 0x7F, 0xF1, 0x4B, 0xF0,
            0x7F, 0x6F, 0x6E, 0x4C, 0x81, 0x61, 0x6E,
        ]
        for type in [nil, "text/xml; charset=ebcdic-cp-us"] {
            #expect(throws: PlugboardError.self) {
                try XMLCodec().decode(XMLTree.self, from: Bytes(ebcdic), contentType: type)
            }
        }
    }

    @Test func `an entity that the document type may declare is an error, and one of XML itself is not`() throws {
        for reference in ["<r>&e;</r>", "<r a='&e;'/>", "<r><s t='1' a='&amp;&e;'/></r>", "<r a='&am;'/>"] {
            let error = #expect(throws: PlugboardError.self) {
                try decode(XMLTree.self, "<!DOCTYPE r SYSTEM 'x.dtd'>\(reference)")
            }
            #expect(error?.reason == "The body is not XML that can be read: an entity is not declared.")
        }
        let tree = try decode(XMLTree.self, "<!DOCTYPE r SYSTEM 'x.dtd'><r a='&amp;&#65;&lt;'>&gt;&quot;&apos;</r>")
        #expect(tree[attribute: "a"] == "&A<" && tree.text == ">\"'")
    }

    @Test func `a document or a value nested too deep is an error`() throws {
        func nested(_ levels: Int) -> String {
            String(repeating: "<child>", count: levels) + String(repeating: "</child>", count: levels)
        }

        #expect(try decode(Tree.self, nested(256)).child.count == 1)
        for levels in [257, 100_000] {
            let error = #expect(throws: PlugboardError.self) { try decode(Tree.self, nested(levels)) }
            #expect(
                error?.reason == "The body is not XML that can be read: it is nested deeper than the limit of 256.")
        }
        var tree = Tree(child: [])
        for _ in 0..<300 { tree = Tree(child: [tree]) }
        let error = #expect(throws: PlugboardError.self) { try XMLCodec().encode(tree) }
        #expect(error?.code == .requestParameter)
    }

    @Test func `keys and texts that XML cannot hold are errors`() throws {
        for value in [["a b": "x"], ["a><b": "x"], ["1": "x"], ["": "x"], ["a": "\u{1}"], ["@a b": "x"]] {
            let error = #expect(throws: PlugboardError.self) { try XMLCodec().encode(value) }
            #expect(error?.code == .requestParameter)
        }
        struct Plain {}
        #expect(throws: PlugboardError.self) { try XMLCodec().encode(Plain()) }
        #expect(throws: PlugboardError.self) { try decode(Plain.self, "<a/>") }
    }

    @Test(.timeLimit(.minutes(1)))
    func `many elements are read in linear time`() throws {
        let text = "<r>\(String(repeating: "<label>x</label>", count: 100_000))</r>"

        #expect(try decode([String: [String]].self, text)["label"]?.count == 100_000)
    }

    @Test(.timeLimit(.minutes(1)))
    func `many attributes and namespaces are read in linear time`() throws {
        let attributes = (0..<200_000).map { " a\($0)='' xmlns:b\($0)='u'" }.joined()
        let prefixed = (0..<100_000).map { "<b\($0):c/>" }.joined()

        let tree = try decode(XMLTree.self, "<r\(attributes)>\(prefixed)</r>")

        #expect(tree.attributes.count == 400_000 && tree.children.count == 100_000)
    }

    @Test(.timeLimit(.minutes(1)))
    func `many attributes are decoded by their names in linear time`() throws {
        let attributes = (0..<100_000).map { " a\($0)='\($0)'" }.joined()

        let values = try decode([String: String].self, "<r\(attributes)/>")

        #expect(values.count == 100_000 && values["@a99999"] == "99999")
    }

    @Test func `documents travel through a kernel`() async throws {
        let server = try LoopbackServer.responding { request in
            ServerResponse(fields: [("Content-Type", "application/atom+xml")], body: request.body)
        }
        let kernel = try Kernel()

        let response = try await kernel.send(try Request(.post, server.url("/"), body: topic, with: .xml))
        let echoed = try await response.decode(Topic.self, among: [.json, .xml])

        #expect(echoed == topic)
        await kernel.shutDown()
    }
}
