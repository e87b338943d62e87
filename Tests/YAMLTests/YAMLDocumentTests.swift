import Plugboard
import PlugboardEndpoints
import PlugboardJSON
import PlugboardMessages
import PlugboardYAML
import TestSupport
import Testing

struct YAMLDocumentTests {
    private func value(_ text: String) throws -> JSONValue { try YAMLDocument.parse(Array(text.utf8)) }

    private func failure(_ text: String, _ limits: YAMLDocument.Limits = .init()) -> String {
        do throws(PlugboardError) {
            _ = try YAMLDocument.parse(Array(text.utf8), limits: limits)
            return ""
        } catch {
            return error.reason
        }
    }

    @Test(arguments: [
        ("no", #""no""#), ("on", #""on""#), ("true", "true"), ("False", "false"), ("~", "null"), ("", "null"),
        ("1.0", "1.0"), ("'1.0'", #""1.0""#), ("2026-01-02", #""2026-01-02""#), ("0644", #""0644""#), ("0o17", "15"),
        ("0x1F", "31"), ("+5", "5"), ("-.5", "-0.5"), ("1e3", "1e3"), ("1_000", #""1_000""#), ("12:30", #""12:30""#),
        ("!!str 7", #""7""#), ("!!int '7'", "7"), ("'null'", #""null""#), ("3.1.0", #""3.1.0""#), ("-", "[null]"),
    ])
    func `a plain value is what YAML 1.2 says, and a text where versions of YAML differ`(
        text: String, json: String
    ) throws {
        let inMapping = text == "-" ? "a:\n  -" : "a: \(text)"

        #expect(JSONWriter.write(try value(inMapping)) == #"{"a":\#(json)}"#)
    }

    @Test func `keys are texts, and anchors, aliases and merge keys are followed`() throws {
        let text = """
            200: ok
            no: 1
            on: 2
            base: &b {x: 1, y: [1, 2]}
            copy: *b
            more: {<<: *b, x: 3}
            "/a/{id}": {text: "a & b *c*"}
            """

        #expect(
            JSONWriter.write(try value(text))
                == #"{"200":"ok","no":1,"on":2,"base":{"x":1,"y":[1,2]},"copy":{"x":1,"y":[1,2]},"more":{"x":3,"y":[1,2]},"/a/{id}":{"text":"a & b *c*"}}"#
        )
    }

    @Test(arguments: [
        ("a: 1\nb: 2\na: 3", "line 3, column 1: the key a is a duplicate"),
        ("a: 1\n\"200\": 2\n200: 3", "line 3, column 1: the key 200 is a duplicate"),
        ("<<: {a: 1}\n<<: {b: 1}", "line 2, column 1: the key << is a duplicate"),
        ("a: [1", "line 2, column 1: cannot be read: did not find expected ',' or ']'"),
        ("a: b\n\tc: d", "line 2, column 1: cannot be read"),
        ("a: *no", "line 1, column 4: has the alias no before its anchor"),
        ("a: .inf", "line 1, column 4: has the number .inf, which JSON does not have"),
        ("? [a]\n: b", "line 1, column 3: has a key that is no text"), ("", "line 1, column 1: is empty"),
        ("a: 1\n---\nb: 2", "line 2, column 1: has more than one document"),
        ("a: &a [*a]", "line 1, column 8: has the alias a before its anchor"),
        ("a: &a 1\n*a : 2", "line 2, column 1: has a key that is no text"), ("<<: 1", "merges (<<) a non-mapping"),
    ])
    func `what cannot be read is told with line and column`(text: String, reason: String) {
        #expect(failure(text).contains(reason), "\(failure(text))")
    }

    @Test func `aliases that multiply end with an error, also as keys`() {
        var laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1..<12 {
            let aliases = [String](repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            laughs += "a\(level): &a\(level) [\(aliases)]\n"
        }

        #expect(failure(laughs).contains("has more than 4000000 values, with those of aliases"))
        #expect(failure(laughs + "*a11 : b").contains("values, with those of aliases"))
        #expect(failure("a: &a [x]\n? [*a]\n: b").contains("line 2, column 3: has a key that is no text"))
    }

    @Test func `limits bound size and depth, also that of aliases`() {
        var limits = YAMLDocument.Limits()
        limits.size = 4

        #expect(failure("a: bc", limits).contains("is larger than 4 bytes"))
        #expect(failure(String(repeating: "[", count: 600) + String(repeating: "]", count: 600)).contains("512 levels"))
        #expect(failure(String(repeating: "[", count: 100_000)) != "")
        let chain = (1...512).map { "a\($0): &a\($0) [*a\($0 - 1)]\n" }.joined()
        #expect(failure("a0: &a0 1\n" + chain).contains("line 512, column 14: has more than 512 levels"))
    }

    @Test func `an alias as a key is the text of its anchor, and a key can have an anchor`() throws {
        #expect(JSONWriter.write(try value("&k name: x\nother: {*k : y}")) == #"{"name":"x","other":{"name":"y"}}"#)
    }

    @Test func `a byte that is no UTF-8 is told with its line`() {
        let bytes = Array("a: 1\nb: ".utf8) + [0xFF]

        #expect(throws: PlugboardError.self) { try YAMLDocument.parse(bytes) }
        do throws(PlugboardError) { _ = try YAMLDocument.parse(bytes) } catch {
            #expect(error.reason.contains("line 2, column 4: cannot be read"), "\(error.reason)")
        }
    }

    @Test func `a document may have any number of keys, anchors and aliases`() throws {
        let text = (0..<50_000).map { "k\($0): &a\($0) \($0)\nv\($0): *a\($0)\n" }.joined()

        #expect(try value(text).objectValue?.count == 100_000)
    }

    @Test func `a text that is cut or changed anywhere never traps`() throws {
        let text = "a: &b {x: [1, 'q', \"w\"]}\nc: *b\nd: |\n  text\n? e\n: {<<: *b}\n"
        var random = SeededRandom(seed: 7)
        for _ in 0..<500 {
            var bytes = Array(text.utf8)
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? YAMLDocument.parse(bytes)
            _ = try? YAMLDocument.parse(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))))
        }
    }

    @Test func `an OpenAPI document in YAML is read with the YAML files that it refers to`() throws {
        let folder = try TemporaryFolder()
        try folder.write("user.yml", "get:\n  operationId: user\n  responses:\n    200: {description: ok}\n")
        let path = try folder.write(
            "api.yaml", "openapi: 3.1.0\npaths:\n  /users/{id}:\n    $ref: user.yml\n  /odd:\n    get: null\n")

        let definitions = try Definitions.file(path, formats: [.yaml])

        #expect(definitions.names == ["user"])
        #expect(definitions["user"]?.parameters.map(\.name) == ["id"])
        #expect(definitions.defects.map(\.path) == [#"paths["/odd"].get"#])
        #expect(definitions.defects.map(\.file) == [path])
    }

    @Test func `a document is YAML by its media type, or else by the end of its URL`() async throws {
        let server = try LoopbackServer.responding { request in
            let type = request.path == "/typed" ? "application/yaml; charset=utf-8" : "application/octet-stream"
            return ServerResponse(
                fields: [("Content-Type", type)],
                body: "openapi: 3.1.0\npaths:\n  /a:\n    get: {operationId: a}\n")
        }
        let kernel = try Kernel()

        let typed = try await Definitions.url(server.url("/typed"), by: kernel, formats: [.yaml])
        let named = try await Definitions.url(server.url("/api.yaml?v=1"), by: kernel, formats: [.yaml])

        #expect(typed.names == ["a"] && named.names == ["a"])
        await kernel.shutDown()
    }
}
