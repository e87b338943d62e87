import PlugboardJSON
import PlugboardJSONSchema
import TestSupport
import Testing

/// The cases of Tests/Fixtures/JSONSchema, written by the specifications, and the public suite where it is at hand.
struct CasesTests {
    @Test func `every keyword judges its cases in each of its drafts`() throws {
        let groups = try #require(try Cases.file("keywords.json").arrayValue)
        var count = 0

        for group in groups {
            let schema = try #require(group["schema"])
            for draft in try #require(group["drafts"]?.arrayValue).compactMap(\.stringValue) {
                var options = JSONSchema.Options()
                options.draft = try #require(SchemaDraft(rawValue: draft))
                let compiled = try JSONSchema(schema, options: options)
                for (name, expected) in [("valid", true), ("invalid", false)] {
                    for instance in try #require(group[name]?.arrayValue) {
                        let document = try JSONDocument(instance.description)
                        #expect(compiled.isValid(document) == expected, "\(draft): \(schema) and \(instance)")
                        #expect(compiled.validate(document).isValid == expected, "\(draft): \(schema) and \(instance)")
                        count += 1
                    }
                }
            }
        }

        #expect(count > 1900)
    }

    @Test func `every format judges its strings`() throws {
        let formats = try #require(try Cases.file("formats.json").objectValue)

        for (name, cases) in formats {
            var options = JSONSchema.Options()
            options.formats = true
            let schema = try JSONSchema(["format": .string(name)], options: options)
            for (key, expected) in [("valid", true), ("invalid", false)] {
                for text in try #require(cases[key]?.arrayValue) {
                    let document = try JSONDocument(text.description)
                    #expect(schema.isValid(document) == expected, "\(name): \(text)")
                }
            }
            #expect(schema.isValid(try JSONDocument("12")))
        }

        #expect(formats.count == 19)
    }

    @Test(.enabled(if: Cases.publicSuite != nil, "skipped: PLUGBOARD_CONFORMANCE does not name the public suite"))
    func `the public suite's required cases of 2020-12 pass`() throws {
        let suite = try #require(Cases.publicSuite)
        var registry = SchemaRegistry()
        let remotes = Cases.files(below: "\(suite)/remotes")
        for path in remotes {
            let uri = "http://localhost:1234\(path.dropFirst("\(suite)/remotes".count))"
            registry.add(try Cases.parse(path), uri: uri)
        }
        var count = 0

        for path in Cases.files(below: "\(suite)/tests/draft2020-12") {
            for group in try #require(try Cases.parse(path).arrayValue) {
                let schema = try JSONSchema(try #require(group["schema"]), registry: registry)
                for test in try #require(group["tests"]?.arrayValue) {
                    let document = try JSONDocument(try #require(test["data"]).description)
                    #expect(
                        schema.isValid(document) == test["valid"]?.boolValue,
                        "\(path): \(group["description"] ?? .null), \(test["description"] ?? .null)")
                    count += 1
                }
            }
        }

        #expect(count >= 1299)
    }
}
