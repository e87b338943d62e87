import PlugboardJSON
import Testing

@Suite struct `The JSON writer` {
    private let value: JSONValue = ["b": [1, 2.50, []], "a": ["x": nil, "é": true], "c": [:]]

    private func text(_ value: JSONValue, _ options: JSONWriter.Options = .init()) -> String {
        JSONWriter.write(value, options: options)
    }

    @Test func `compact texts have no space and keep the order`() {
        #expect(text(value) == #"{"b":[1,2.5,[]],"a":{"x":null,"é":true},"c":{}}"#)
        #expect(value.description == text(value))
        #expect(JSONWriter.write(value) == Array(text(value).utf8))
    }

    @Test func `pretty texts are indented by two spaces`() {
        let expected = """
            {
              "a": {
                "x": null,
                "é": true
              },
              "b": [
                1,
                2.5,
                []
              ],
              "c": {}
            }
            """

        #expect(text(value, .init(pretty: true, sortedKeys: true)) == expected)
    }

    @Test func `keys are sorted by code points`() {
        let value: JSONValue = ["\u{1F600}": 1, "\u{FFFD}": 2, "b": 3, "": 4, "B": 5, "ba": 6]

        #expect(
            text(value, .init(sortedKeys: true)) == "{\"\":4,\"B\":5,\"b\":3,\"ba\":6,\"\u{FFFD}\":2,\"\u{1F600}\":1}")
    }

    @Test func `only what must be escaped is`() {
        let string: JSONValue = "\"\\/\u{8}\u{C}\n\r\t\0\u{1F}\u{7F}é😀\u{2028}"

        #expect(text(string) == "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u{7F}é😀\u{2028}\"")
        #expect(text("</a>", .init(escapesSlashes: true)) == #""<\/a>""#)
    }

    @Test func `a style sees every token and decides what is written`() {
        var tokens: [JSONWriter.Token] = []
        let styled = JSONWriter.write(["k": ["s", 1, true, nil]], options: .init(pretty: true)) { token, text in
            tokens.append(token)
            return token == .punctuation ? text : "<\(text)>"
        }

        let expected = "{\n  <\"k\">: [\n    <\"s\">,\n    <1>,\n    <true>,\n    <null>\n  ]\n}"
        #expect(styled == expected)
        #expect(tokens.filter { $0 != .punctuation } == [.key, .string, .number, .word, .word])
        #expect(JSONWriter.write(value) { _, text in text } == text(value))
    }

    @Test(arguments: [
        "null", "-0", "[1.0,1e5,0.1000,12345678901234567890,1e999999999]",
        #"{"b":{},"a":[[],[{}]],"":"\u0000\ud83d\ude00\\\""}"#,
        #"["\u0001\u001f","é","\u2028","/"]"#,
    ])
    func `what is written reads back the same`(_ source: String) throws {
        let value = try JSONParser.parse(source)

        for options in [JSONWriter.Options(), .init(pretty: true), .init(sortedKeys: true, escapesSlashes: true)] {
            let written = text(value, options)
            let again = try JSONParser.parse(written)

            #expect(again == value)
            #expect(text(again, options) == written)
        }
    }
}
