import PlugboardJSON
import Testing

@Suite struct `The JSON parser` {
    @Test(
        arguments: [
            ("null", nil), ("true", true), ("false", false), ("0", 0), ("-0", 0), ("-12.5e+1", -125), ("1E-2", 0.01),
            (#""""#, ""), (#""a""#, "a"), ("[]", []), ("[ ]", []), ("{}", [:]), ("{ }", [:]), ("[[],{}]", [[], [:]]),
            (" \t\r\n[ 1 , 2 ] \n", [1, 2]), (#"{ "a" : { "b" : [ ] } }"#, ["a": ["b": []]]), (#"{"":0}"#, ["": 0]),
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0000\u00e9\u20AC""#, "\0é€"),
            (#""\ud83d\ude00""#, "😀"),
            (#""\uDBFF\uDFFF""#, "\u{10FFFF}"), ("\"é€😀\u{7F}\u{2028}\"", "é€😀\u{7F}\u{2028}"), ("\u{FEFF}[1]", [1]),
            (#""12345678\n12345678""#, "12345678\n12345678"), (#""é\té""#, "é\té"),
        ] as [(String, JSONValue)])
    func `every production of RFC 8259 is read`(_ text: String, _ expected: JSONValue) throws {
        #expect(try JSONParser.parse(text) == expected)
        #expect(try JSONParser.parse(Array(text.utf8)) == expected)
        #expect(try JSONParser.parse(AnySequence(text.utf8)) == expected)
    }

    @Test(arguments: [
        "", " ", "nul", "nulL", "True", "truee", "tru e", "[", "]", "{", "}", "[1", "[1,", "[1 2]", "[,1]", "[1,]",
        "[1,,2]", "[1:2]",
        "[]]", "{]", "[}", "{,}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a" 1}"#, #"{"a"::1}"#, "{a:1}", "{1:1}",
        "{'a':1}", #"{"a":1"#,
        #"{"a":1 "b":2}"#, "'a'", #"""#, #""a"#, #""\"#, #""\""#, #""\x41""#, #""\u12""#, #""\u12G4""#, #""\u１２３４""#,
        #""\U0041""#, "\"\n\"", "\"\t\"",
        "\"\0\"", "\"12345678\u{1F}\"", "01", "-", "-01", "+1", "1.", ".1", "1e", "1e+", "1e1.0", "0x10", "1_000",
        "NaN", "Infinity",
        "-Infinity", "1 1", "1,", "[1]x", "\u{A0}1", "\u{2028}1", "1\u{FEFF}", "\u{FEFF}", "\u{FEFF}\u{FEFF}1", "//\n1",
        "/**/1", "1/", "#", "\u{B}1",
    ])
    func `a text that RFC 8259 does not allow is an error`(_ text: String) {
        #expect(throws: JSONError.self) { try JSONParser.parse(text) }
        #expect(throws: JSONError.self) { try JSONParser.parse(AnySequence(text.utf8)) }
    }

    @Test func `no beginning of a text is a text`() throws {
        let text = Array(#"{"a": [1.5, "é\u00e9\ud83d\ude00", true, null, {"b": -1e5}], "c": {}}"#.utf8)

        for count in text.indices { #expect(throws: JSONError.self) { try JSONParser.parse(text[..<count]) } }
        _ = try JSONParser.parse(text)
    }

    @Test(arguments: [
        #""\ud800""#, #""\udc00""#, #""\ud800\ud800""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\u0041""#,
        #""\udc00\ud800""#,
        #""\ud800"#, #""\ud800\u"#,
    ])
    func `lone surrogates are errors`(_ text: String) {
        #expect(throws: JSONError.self) { try JSONParser.parse(text) }
    }

    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE2, 0x82],
            [0xE2, 0x28, 0xA1],
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98],
            [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ] as [[UInt8]])
    func `invalid UTF-8 is an error at its first byte, in strings, keys, comments and between`(_ bytes: [UInt8]) throws
    {
        let texts = [
            Array("[\"é234567".utf8) + bytes + Array("\"]".utf8), Array("[\"é\\n4567".utf8) + bytes + Array("\"]".utf8),
            Array("{\"é234567".utf8) + bytes + Array("\":1}".utf8),
            Array("//é2345678".utf8) + bytes + Array("\n1".utf8),
            Array("/*é2345678".utf8) + bytes + Array("*/1".utf8), Array("[1,2,3,4,5,".utf8) + bytes + Array("]".utf8),
        ]

        for text in texts {
            let error = #expect(throws: JSONError.self) {
                try JSONParser.parse(text, options: JSONParser.configuration)
            }

            let offset = text.starts(with: Array("[1,".utf8)) || text.starts(with: Array("/".utf8)) ? 11 : 10
            #expect(error?.offset == offset)
            #expect(error?.reason == "the text is not valid UTF-8")
        }
    }

    @Test func `deep nesting is an error and never overflows the stack`() throws {
        for (opening, closing) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
            let closed = String(repeating: opening, count: 100_000) + "1" + String(repeating: closing, count: 100_000)
            let open = String(repeating: opening, count: 100_000)

            #expect(throws: JSONError.self) { try JSONParser.parse(closed) }
            #expect(throws: JSONError.self) { try JSONParser.parse(open) }
        }
    }

    @Test func `the depth limit counts arrays and objects inside each other`() throws {
        var options = JSONParser.Options()
        options.depthLimit = 2
        var unlimited = options
        unlimited.depthLimit = .max
        let deepest = JSONParser.Options.deepest
        let atLimit = String(repeating: "[", count: deepest) + String(repeating: "]", count: deepest)

        #expect(try JSONParser.parse("[{},{\"a\":1},[]]", options: options).arrayValue?.count == 3)
        #expect(try JSONParser.parse(atLimit, options: unlimited).description == atLimit)
        let error = #expect(throws: JSONError.self) { try JSONParser.parse("[{\"a\":[]}]", options: options) }
        #expect(error?.reason == "the value is nested deeper than the limit of 2")
        #expect(error?.offset == 6)
        #expect(throws: JSONError.self) { try JSONParser.parse("[\(atLimit)]", options: unlimited) }
    }

    @Test func `the size limit counts bytes, and endless sequences end there`() throws {
        var options = JSONParser.Options()
        options.sizeLimit = 4

        #expect(try JSONParser.parse("\"é\"", options: options) == "é")
        #expect(throws: JSONError.self) { try JSONParser.parse("\"éa\"", options: options) }
        #expect(throws: JSONError.self) {
            try JSONParser.parse(sequence(first: 0x20 as UInt8) { $0 }, options: options)
        }
        #expect(throws: JSONError.self) {
            try JSONParser.parseWithPositions(sequence(first: 0x20 as UInt8) { $0 }, options: options)
        }
    }

    @Test func `comments and trailing commas are allowed only when the options say so`() throws {
        let text = """
            // first
            { /* a: */ "a": [1, 2, /**/], // "b": 3
              "c": "// no comment /* nor this */", }
            /* last **/ //
            """
        let expected: JSONValue = ["a": [1, 2], "c": "// no comment /* nor this */"]
        var commentsOnly = JSONParser.Options()
        commentsOnly.allowsComments = true
        var commasOnly = JSONParser.Options()
        commasOnly.allowsTrailingCommas = true

        #expect(try JSONParser.parse(text, options: JSONParser.configuration) == expected)
        #expect(try JSONParser.parse("[1,\r]", options: commasOnly) == [1])
        #expect(try JSONParser.parse("/**/1//\r", options: commentsOnly) == 1)
        #expect(throws: JSONError.self) { try JSONParser.parse(text, options: commentsOnly) }
        #expect(throws: JSONError.self) { try JSONParser.parse(text, options: commasOnly) }
        for wrong in ["[,]", "{,}", "[1,,]", "1,", "/*", "/*/1", "1/", "1/x", "/ /1", "//"] {
            #expect(throws: JSONError.self) { try JSONParser.parse(wrong, options: JSONParser.configuration) }
        }
    }

    @Test(arguments: [3, 40])
    func `of duplicate keys the last wins, or they are errors`(_ count: Int) throws {
        let members = (0..<count).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        let text = "{\(members),\n \"k\\u0031\":true}"

        let value = try JSONParser.parse(text)

        #expect(value.objectValue?.count == count)
        #expect(value["k1"] == true)
        #expect(value.objectValue?.keys == (0..<count).map { "k\($0)" })
        let error = #expect(throws: JSONError.self) { try JSONParser.parse(text, options: JSONParser.configuration) }
        #expect(error?.description == "line 2, column 2: the key \"k1\" is a duplicate")
    }

    @Test(arguments: [
        ("", 1, 1), ("[1,\n 2,\n x]", 3, 2), ("[1,\r\n x]", 2, 2), ("[1,\r x]", 2, 2), ("\n\r\n\rx", 4, 1),
        ("[\"é€😀\", x]", 1, 9),
        ("\u{FEFF}x", 1, 1), ("[1]\nx", 2, 1), ("{\"a\": tru}", 1, 10), ("[1, 02]", 1, 5), ("[\"a\", \"b", 1, 7),
        ("[\n", 2, 1),
        ("[1,]", 1, 3),
    ])
    func `errors have line and column, counted in characters`(_ text: String, _ line: Int, _ column: Int) {
        let error = #expect(throws: JSONError.self) { try JSONParser.parse(text) }

        #expect(error?.line == line)
        #expect(error?.column == column)
    }

    @Test func `errors quote at most a short key or a character`() throws {
        let secret = String(repeating: "s3cret", count: 100)
        let texts = [
            "{\"a\": \(secret)}", "{\"a\": \"\(secret)", "[\"\(secret)\" \"\(secret)\"]", "1\(secret)",
            "{\"a\": \"\(secret)\\q\"}",
            "{\"\(secret)\":1,\"\(secret)\":1}",
        ]

        for text in texts {
            let error = #expect(throws: JSONError.self) {
                try JSONParser.parse(text, options: JSONParser.configuration)
            }

            #expect((error?.description.count ?? .max) < 120)
        }
        let escaped = #expect(throws: JSONError.self) { try JSONParser.parse("\u{1B}[31m") }
        #expect(
            escaped?.reason == "a value is expected, not \"\\u{1B}\""
                || escaped?.reason == "a value is expected, not \"\\u{001B}\"")
    }

    @Test func `objects with very many keys are parsed quickly`() throws {
        let count = 200_000
        let text = "{" + (0..<count).map { "\"\($0)\":0" }.joined(separator: ",") + "}"

        let value = try JSONParser.parse(text)

        #expect(value.objectValue?.count == count)
        #expect(value["199999"] == 0)
    }
}

@Suite struct `JSON positions` {
    private let text = """
        {
          // the plugins
          "plugins": [
            "logging",
            { "id": "cache", "settings": { "ttl": 5, "größe": [1,
                2] } },
          ],
          "a": 1
        }
        """

    @Test(
        arguments: [
            ([], 1, 1, 1, 1), (["plugins"], 3, 14, 3, 3), (["plugins", 0], 4, 5, 4, 5),
            (["plugins", 1, "settings", "ttl"], 5, 43, 5, 36), (["plugins", 1, "settings", "größe", 0], 5, 56, 5, 56),
            (["plugins", 1, "settings", "größe", 1], 6, 9, 6, 9), (["a"], 8, 8, 8, 3),
        ] as [(JSONPath, Int, Int, Int, Int)])
    func `every path has the position of its value and of its key`(
        _ path: JSONPath, _ line: Int, _ column: Int, _ keyLine: Int, _ keyColumn: Int
    ) throws {
        let (value, positions) = try JSONParser.parseWithPositions(text, options: JSONParser.configuration)

        let position = try #require(positions.position(of: path))
        let key = try #require(positions.keyPosition(of: path))

        #expect([position.line, position.column, key.line, key.column] == [line, column, keyLine, keyColumn])
        #expect(value[path: path] != nil)
    }

    @Test(
        arguments: [["b"], [0], ["plugins", 2], ["plugins", -1], ["plugins", "x"], ["a", "x"], ["a", 0]] as [JSONPath])
    func `a path without a value has no position`(_ path: JSONPath) throws {
        let (_, positions) = try JSONParser.parseWithPositions(text, options: JSONParser.configuration)

        #expect(positions.position(of: path) == nil)
        #expect(positions.keyPosition(of: path) == nil)
    }

    @Test func `of duplicate keys, the position is that of the one that counts`() throws {
        let (value, positions) = try JSONParser.parseWithPositions(#"{"a":{"b":1},"a":{"b":2}}"#)

        #expect(value["a"]?["b"] == 2)
        #expect(positions.position(of: ["a", "b"])?.column == 23)
    }
}

@Suite struct `JSON paths` {
    @Test(
        arguments: [
            ([], "(root)", ""),
            (["plugins", 2, "settings", "ttl"], "plugins[2].settings.ttl", "/plugins/2/settings/ttl"),
            ([0, "a-b_c"], "[0].a-b_c", "/0/a-b_c"),
            (["https://a/~b", "x"], "[\"https://a/~b\"].x", "/https:~1~1a~1~0b/x"),
            (["a", ""], "a[\"\"]", "/a/"),
        ] as [(JSONPath, String, String)])
    func `a path prints as people write it, and as a JSON Pointer`(
        _ path: JSONPath, _ description: String, _ pointer: String
    ) {
        #expect(path.description == description)
        #expect(path.pointer == pointer)
    }

    @Test func `long and unprintable keys are cut and escaped`() {
        let path: JSONPath = [.key(String(repeating: "k", count: 1000)), "\u{1B}\u{202E}"]

        #expect(path.description.count < 80)
        #expect(!path.description.unicodeScalars.contains("\u{1B}"))
        #expect(!path.description.unicodeScalars.contains("\u{202E}"))
    }
}
