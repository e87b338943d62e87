import PlugboardJSON
import TestSupport
import Testing

/// `plugboard validate`: documents against a schema, from files and standard input.
struct ValidateTests {
    private static let schema = #"{"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}"#

    private func folder(_ files: [(String, String)]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (name, text) in files { _ = try folder.write(name, text) }
        return folder
    }

    private func run(_ folder: TemporaryFolder, _ arguments: [String], input: String = "") async throws
        -> ProcessRunner.Outcome
    {
        try await Command.running(
            ["validate"] + arguments.map { $0.hasSuffix(".json") ? "\(folder.path)/\($0)" : $0 }, input: input)
    }

    @Test func `valid documents end with status 0, many at once`() async throws {
        let names = (0..<50).map { "\($0).json" }
        let folder = try folder([("schema.json", ValidateTests.schema)] + names.map { ($0, #"{"id": 1}"#) })

        let outcome = try await run(folder, ["--schema", "schema.json"] + names)

        #expect(outcome.status == 0)
        #expect(outcome.stdout.split(separator: "\n").count == 50)
        #expect(outcome.stdout.hasPrefix("\(folder.path)/0.json: valid\n"))
        #expect(outcome.stderr == "")
    }

    @Test func `one invalid document ends with status 1, and all are checked`() async throws {
        let folder = try folder([
            ("schema.json", ValidateTests.schema), ("a.json", #"{"id": "secret"}"#), ("b.json", #"{"id": 1}"#),
            ("c.json", "{"), ("d.json", "{}"),
        ])

        let outcome = try await run(folder, ["--schema", "schema.json", "a.json", "b.json", "c.json", "d.json"])

        #expect(outcome.status == 1)
        #expect(outcome.stdout == "\(folder.path)/b.json: valid\n")
        #expect(outcome.stderr.contains("a.json: /id: The value must be an integer. (/properties/id/type)"))
        #expect(outcome.stderr.contains("c.json: not valid JSON: byte 1"))
        #expect(outcome.stderr.contains("d.json: (root): The property \"id\" is missing. (/required)"))
        #expect(!outcome.stderr.contains("secret"))
    }

    @Test func `a document that exceeds a limit ends with status 108, and one that is not valid with 1`() async throws {
        let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
        let digits = String(repeating: "7", count: 200_000)
        let folder = try folder([
            ("schema.json", "{}"), ("deep.json", deep), ("wrong.json", "["), ("one.json", "1"),
            ("work.json", "{\"multipleOf\": \(digits)}"), ("number.json", String(repeating: "3", count: 400_000)),
        ])

        for output in [[], ["--output", "flag"], ["--output", "basic"]] {
            let deep = try await run(folder, ["--schema", "schema.json", "one.json", "deep.json"] + output)
            #expect(deep.status == 108)
            #expect(deep.stderr.contains("deep.json: it cannot be judged: byte 512: the value is nested deeper"))
            #expect(try await run(folder, ["--schema", "schema.json", "deep.json", "wrong.json"] + output).status == 1)
            #expect(try await run(folder, ["--schema", "work.json", "number.json"] + output).status == 108)
        }
    }

    @Test func `contents are checked in draft 7, unless that is switched off`() async throws {
        let folder = try folder([
            ("schema.json", #"{"contentMediaType": "application/json"}"#), ("text.json", #""{:""#),
        ])

        for (arguments, status) in [(["--draft", "draft7"], 1), (["--draft", "draft7", "--no-contents"], 0), ([], 0)] {
            let outcome = try await run(folder, ["--schema", "schema.json", "text.json"] + arguments)
            #expect(outcome.status == Int32(status))
        }
    }

    @Test func `values are shown when they are asked for`() async throws {
        let folder = try folder([("schema.json", ValidateTests.schema), ("a.json", #"{"id": "secret"}"#)])

        let text = try await run(folder, ["--schema", "schema.json", "--show-values", "a.json"])
        let json = try await run(folder, ["--schema", "schema.json", "--show-values", "--output", "basic", "a.json"])
        let hidden = try await run(folder, ["--schema", "schema.json", "--output", "detailed", "a.json"])

        #expect(text.stderr.contains(#"(/properties/id/type) The value is "secret"."#))
        #expect(try JSONParser.parse(json.stdout)["errors"]?[0]?["value"] == #""secret""#)
        #expect(!hidden.stdout.contains("secret"))
    }

    @Test func `a large document is checked while it is read`() async throws {
        let folder = try folder([("schema.json", #"{"items": {"type": "integer"}}"#)])
        // Larger than what is kept as a whole, and wrong at its end.
        let spaces = String(repeating: " ", count: 65 << 20)
        _ = try folder.write("large.json", "[1,\(spaces)2]")
        _ = try folder.write("wrong.json", "[1,\(spaces)\"secret\"]")

        let outcome = try await run(
            folder, ["--schema", "schema.json", "--output", "basic", "large.json", "wrong.json"])
        let flag = try await run(folder, ["--schema", "schema.json", "--output", "flag", "wrong.json"])

        let lines = try outcome.stdout.split(separator: "\n").map { try JSONParser.parse(String($0)) }
        #expect(outcome.status == 1 && flag.status == 1)
        #expect(lines.map { $0["valid"] } == [true, false])
        #expect(lines.last?["errors"]?[0]?["instanceLocation"] == "/1")
    }

    @Test func `a document comes from standard input`() async throws {
        let folder = try folder([("schema.json", ValidateTests.schema), ("a.json", #"{"id": 1}"#)])

        let valid = try await run(folder, ["--schema", "schema.json", "-", "a.json"], input: #"{"id": 1}"#)
        let invalid = try await run(folder, ["--schema", "schema.json", "-"], input: "[]")
        let twice = try await run(folder, ["--schema", "schema.json", "-", "-"], input: "[]")

        #expect(valid.status == 0 && valid.stdout.hasPrefix("-: valid\n"))
        #expect(invalid.status == 1 && invalid.stderr.hasPrefix("-: (root): The value must be an object."))
        #expect(twice.status == 2)
    }

    @Test func `the standard outputs are one line of JSON for each document`() async throws {
        let folder = try folder([
            ("schema.json", #"{"properties": {"a": {"allOf": [{"type": "integer"}, {"minimum": 5}]}}}"#),
            ("good.json", #"{"a": 7}"#), ("bad.json", #"{"a": 1.5}"#), ("none.json", "nul"),
        ])
        for format in ["flag", "basic", "detailed"] {
            let outcome = try await run(
                folder, ["--schema", "schema.json", "--output", format, "good.json", "bad.json", "none.json"])
            let lines = try outcome.stdout.split(separator: "\n").map { try JSONParser.parse(String($0)) }

            #expect(outcome.status == 1)
            // A line for each document, so that results and documents pair.
            try #require(lines.count == 3)
            #expect(lines[2]["instance"] == .string("\(folder.path)/none.json"))
            #expect(lines[2]["valid"] == false)
            #expect(lines[0] == ["instance": .string("\(folder.path)/good.json"), "valid": true])
            #expect(lines[1]["valid"] == false)
            let errors = lines[1]["errors"]?.arrayValue
            if format == "flag" {
                #expect(errors == nil)
            } else {
                #expect(errors?.allSatisfy { $0["instanceLocation"] == "/a" && $0["valid"] == false } == true)
                #expect(errors?.contains { $0["keywordLocation"] == "/properties/a/allOf/0/type" } == true)
                #expect(errors?.contains { $0["absoluteKeywordLocation"] == "#/properties/a/allOf/1/minimum" } == true)
            }
            #expect(outcome.stderr.contains("none.json: not valid JSON"))
        }
    }

    @Test func `drafts, formats and documents are options`() async throws {
        let folder = try folder([
            ("old.json", #"{"minimum": 1, "exclusiveMinimum": true}"#), ("format.json", #"{"format": "ipv4"}"#),
            ("reference.json", #"{"$ref": "https://a.test/b"}"#), ("b.json", #"{"type": "string"}"#),
            ("one.json", "1"), ("text.json", "\"x\""),
        ])

        #expect(try await run(folder, ["--schema", "old.json", "--draft", "draft4", "one.json"]).status == 1)
        #expect(try await run(folder, ["--schema", "format.json", "text.json"]).status == 0)
        #expect(try await run(folder, ["--schema", "format.json", "--formats", "text.json"]).status == 1)
        let document = "https://a.test/b=\(folder.path)/b.json"
        let found = try await Command.running(
            [
                "validate", "--schema", "\(folder.path)/reference.json", "--document", document,
                "\(folder.path)/text.json",
            ])
        #expect(found.status == 0, "\(found.stderr)")
    }

    @Test func `schemas and arguments that cannot be used end with status 2, unreadable files with 26`() async throws {
        let folder = try folder([
            ("schema.json", ValidateTests.schema), ("wrong.json", #"{"type": "strin"}"#), ("text.json", "{"),
            ("reference.json", #"{"$ref": "https://a.test/b"}"#), ("cycle.json", ##"{"$ref": "#"}"##),
            ("pattern.json", #"{"pattern": "("}"#), ("one.json", "1"), ("good.json", #"{"id": 1}"#),
        ])
        for schema in ["wrong.json", "text.json", "reference.json", "cycle.json", "pattern.json"] {
            let outcome = try await run(folder, ["--schema", schema, "one.json"])
            #expect(outcome.status == 2, "\(schema)")
            #expect(outcome.stderr.contains(schema), "\(outcome.stderr)")
            #expect(outcome.stdout == "")
        }
        for arguments in [
            ["one.json"], ["--schema", "schema.json"], ["--schema", "schema.json", "--output", "verbose", "one.json"],
            ["--schema", "schema.json", "--draft", "draft5", "one.json"],
            ["--schema", "schema.json", "--document", "x", "one.json"],
        ] {
            #expect(try await run(folder, arguments).status == 2, "\(arguments)")
        }
        let missing = try await run(folder, ["--schema", "schema.json", "missing.json", "good.json", "one.json"])
        #expect(missing.status == 26)
        #expect(missing.stdout == "\(folder.path)/good.json: valid\n")
        #expect(missing.stderr.contains("missing.json does not exist."))
        #expect(missing.stderr.contains("one.json: (root): The value must be an object."))
        #expect(try await run(folder, ["--schema", "missing.json", "one.json"]).status == 26)
    }
}
