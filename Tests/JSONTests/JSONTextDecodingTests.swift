import PlugboardJSON
import PlugboardJSONCoding
import Testing

private struct User: Codable, Equatable {
    var userName: String
    var imageURL: String?
    var isActive = true
    var extra: [String: Int] = [:]
}

private struct Tree: Codable, Equatable {
    var children: [Tree] = []
}

/// Reads keys by hand, from the last to the first.
private struct Reversed: Decodable {
    var sum = 0

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        for key in container.allKeys.reversed() { sum += try container.decode(Int.self, forKey: key) }
    }
}

private struct Name: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// Tries a type that never fits before the one that does.
private struct Alternative: Decodable {
    var text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        text = (try? container.decode(Tree.self)) == nil ? try container.decode(String.self) : ""
    }
}

/// Keeps its decoder.
private struct Keeper: Decodable {
    let decoder: any Decoder
    init(from decoder: any Decoder) throws { self.decoder = decoder }
}

private struct Day: Codable, Equatable {
    var number: Int
}

private struct Dated: Codable, Equatable {
    var day: Day
    var others: [Day]
}

@Suite struct `Decoding from the text of JSON` {
    private func decode<Value: Decodable>(
        _ type: Value.Type, _ text: String, _ decoder: JSONValueDecoder = JSONValueDecoder(strict: false)
    ) throws -> Value {
        try decoder.decode(type, from: Array(text.utf8))
    }

    @Test(arguments: [
        "", "[1,]", "[1 2]", "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "[01]", "[1.]", "[1e]", "[-]", "[tru]", "nul",
        "[\"\\x\"]",
        "[\"\n\"]", "[\"a", "[\"\\u12\"]", "[\"\\ud800\"]", "[\"\\ud800\\u0041\"]", "[\"\\udc00\"]", "[1]]", "[1}",
        "{\"a\":1]",
        "[1e1234567890123456789]", "\u{FEFF}[1]x", "[\u{0}]", "// a\n[]", "[\"\\", "[\"\\u", "{\"a", "{", "[",
        "{\"a\":",
        "\"a\u{1}b\"", "[1,2", "+1", ".5", "[nulll]", "[\"\\ud83d\\ude00\\ud83d\"]",
    ])
    func `a text that the parser refuses is the parser's error, with its position`(_ text: String) throws {
        let expected = #expect(throws: JSONError.self) { try JSONParser.parse(text) }
        let error = #expect(throws: JSONDecodingError.self) { try decode([String: Int].self, text) }

        #expect(error?.position == expected?.position && error?.reason == expected?.reason)
        #expect(error?.description == expected?.description)
    }

    @Test func `invalid UTF-8 is an error wherever it stands`() throws {
        for bytes: [UInt8] in [[0xFF], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xC0, 0xAF]] {
            for (before, after) in [("{\"unread\":\"", "\"}"), ("{\"", "\":1}"), ("{\"a\":\"\\n", "\"}")] {
                let text = Array(before.utf8) + bytes + Array(after.utf8)
                let error = #expect(throws: JSONDecodingError.self) {
                    try JSONValueDecoder(strict: false).decode(Tree?.self, from: text)
                }
                #expect(error?.reason == "the text is not valid UTF-8" && error?.position?.line == 1)
            }
        }
    }

    @Test func `a text nested deeper than the limit is an error, and one as deep as it decodes`() throws {
        let deep = String(repeating: "[", count: 100_000)
        let members = String(repeating: #"{"children":["#, count: 100_000)
        func nested(_ levels: Int) -> String {
            String(repeating: #"{"children":["#, count: levels) + String(repeating: "]}", count: levels)
        }

        for text in [deep, members, deep + String(repeating: "]", count: 100_000), nested(257)] {
            let error = #expect(throws: JSONDecodingError.self) { try decode(Tree.self, text) }
            #expect(error?.reason == "the value is nested deeper than the limit of 512")
        }
        var tree = try decode(Tree.self, nested(256))
        var levels = 1
        while let child = tree.children.first {
            tree = child
            levels += 1
        }
        #expect(levels == 256)
    }

    @Test func `of equal keys the last counts, in small objects and in large ones`() throws {
        let many = (0..<100).map { "\"k\($0 % 50)\":\($0)" }.joined(separator: ",")
        var refusing = JSONValueDecoder(strict: false)
        refusing.options.duplicateKeys = .error

        #expect(try decode([String: Int].self, #"{"a":1,"b":2,"a":3}"#) == ["a": 3, "b": 2])
        #expect(try decode([String: Int].self, #"{"a":1,"b":2,"\u0061":3,"a\n":4}"#) == ["a": 3, "b": 2, "a\n": 4])
        #expect(
            try decode([String: Int].self, "{\(many)}")
                == Dictionary(uniqueKeysWithValues: (50..<100).map { ("k\($0 - 50)", $0) }))
        #expect(try decode([String: [Int]].self, #"{"a":[1,2],"a":[],"b":[{"x":[]}],"b":[3]}"#) == ["a": [], "b": [3]])
        for text in [#"{"a":1,"b":2,"a":3}"#, "{\(many)}"] {
            let error = #expect(throws: JSONDecodingError.self) { try decode([String: Int].self, text, refusing) }
            #expect(error?.reason.hasSuffix("is a duplicate") == true && error?.position != nil)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `an object of 100,000 keys is read in any order, in linear time`() throws {
        let text = "{" + (0..<100_000).map { "\"key\($0)\":\($0)" }.joined(separator: ",") + "}"

        #expect(try decode(Reversed.self, text).sum == 4_999_950_000)
        #expect(try decode(Reversed.self, text, JSONValueDecoder()).sum == 4_999_950_000)
        #expect(try decode([String: Int].self, text).count == 100_000)
    }

    @Test(.timeLimit(.minutes(1)))
    func `attempts that fail cost no more than the value is long`() throws {
        let text = "[" + (0..<30_000).map { "\"\($0)\"" }.joined(separator: ",") + "]"

        #expect(try decode([Alternative].self, text).last?.text == "29999")
        #expect(try decode([Alternative].self, text, JSONValueDecoder()).count == 30_000)
    }

    @Test func `keys in snake case are those of properties, and dictionaries keep theirs`() throws {
        let text = #"{"user_name":"a","image_url":"b","is_active":false,"extra":{"some_key":1,"otherKey":2}}"#
        let expected = User(userName: "a", imageURL: "b", isActive: false, extra: ["some_key": 1, "otherKey": 2])

        for strict in [true, false] {
            let decoder = JSONValueDecoder(strict: strict, keys: .snakeCase)
            #expect(try decode(User.self, text, decoder) == expected)
        }
        #expect(
            String(decoding: try JSONValueEncoder(keys: .snakeCase).bytes(of: expected), as: UTF8.self).contains(
                "image_url"))
        let bytes = try JSONValueEncoder(keys: .snakeCase).bytes(of: expected)
        #expect(try JSONValueDecoder(keys: .snakeCase).decode(User.self, from: bytes) == expected)
        let error = #expect(throws: JSONDecodingError.self) {
            try decode(User.self, #"{"usr_name":"a"}"#, JSONValueDecoder(keys: .snakeCase))
        }
        #expect(
            error?.description
                == #"(root): the key "user_name" is missing; the nearest key that is there is "usr_name""#)
    }

    @Test func `a closure decodes and encodes a type in its own form`() throws {
        var decoder = JSONValueDecoder()
        decoder.read(Day.self) { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            guard let number = Int(text.dropFirst(4)) else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "a day is expected"))
            }
            return Day(number: number)
        }
        var encoder = JSONValueEncoder()
        encoder.write(Day.self) { day, encoder in
            var container = encoder.singleValueContainer()
            try container.encode("day \(day.number)")
        }
        let text = #"{"day":"day 7","others":["day 1","day 2"]}"#

        let dated = try decode(Dated.self, text, decoder)

        #expect(dated == Dated(day: Day(number: 7), others: [Day(number: 1), Day(number: 2)]))
        #expect(String(decoding: try encoder.bytes(of: dated), as: UTF8.self) == text)
        let error = #expect(throws: JSONDecodingError.self) {
            try decode(Dated.self, #"{"day":"day 1","others":["x"]}"#, decoder)
        }
        #expect(error?.description == "others[0]: a day is expected")
    }

    @Test func `comments and trailing commas are read where the options allow them`() throws {
        let decoder = JSONValueDecoder(options: JSONParser.configuration)

        #expect(try decode([Int].self, "// one\n[1, /* two */ 2,]", decoder) == [1, 2])
        #expect(throws: JSONDecodingError.self) { try decode([Int].self, "[1,]") }
    }

    @Test func `a decoder that a type keeps is still valid after the end`() throws {
        let keeper = try decode(Keeper.self, #"{"a":[1,2,3]}"#)

        #expect(try [String: [Int]](from: keeper.decoder) == ["a": [1, 2, 3]])
    }

    @Test func `strings have their characters, with and without escapes`() throws {
        let text = #"["","\"\\\/\b\f\n\r\t","\u00e9\u20AC\ud83d\ude00","日本語 — ok","plain text of some length","é\n"]"#
        let expected = ["", "\"\\/\u{8}\u{C}\n\r\t", "é€😀", "日本語 — ok", "plain text of some length", "é\n"]

        #expect(try decode([String].self, text) == expected)
        #expect(try decode([String: Int].self, #"{"a\"b":1,"\u00e9":2}"#) == ["a\"b": 1, "é": 2])
    }

    @Test func `every double is the nearest to its text`() throws {
        var state: UInt64 = 0x2545_F491_4F6C_DD1D
        func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
        var texts = [
            "0", "-0", "-0.0", "0e5", "0.1", "9007199254740993", "9007199254740993.0", "18446744073709551615.5",
        ]
        texts += [
            "1e19", "1e-19", "9999999999999999999e19", "1e22", "5e-324", "1.7976931348623157e308",
            "0.30000000000000004",
        ]
        for _ in 0..<20_000 {
            let digits = next() >> (next() % 64)
            texts.append("\(digits)")
            texts.append("-\(digits)e\(Int(next() % 50) - 25)")
            texts.append("\(digits % 1000).\(next() >> (next() % 64))")
            texts.append("0.\(String(repeating: "0", count: Int(next() % 12)))\(digits)")
            let double = Double(bitPattern: next())
            if double.isFinite { texts.append("\(double)") }
        }

        let doubles = try decode([Double].self, "[\(texts.joined(separator: ","))]")

        for (double, text) in zip(doubles, texts) {
            #expect(double.bitPattern == Double(text)?.bitPattern, "\(text)")
        }
    }
}
