import PlugboardJSON
import PlugboardJSONSchema
import PlugboardSystem
import Testing

/// How much a match of a regular expression may cost.
struct PatternLimitTests {
    @Test(arguments: [
        ("(.)\\1*x?\\d", 60_000), ("(?:a{1,30}){1,3}[xy]", 250_000), ("^.*.*.*x", 20_000), ("(a+)+$|!", 40),
        ("a+b", 2_000_000),
    ])
    func `a match ends at its limit, wherever it begins`(pattern: String, count: Int) throws {
        let schema = try JSONSchema(["pattern": .string(pattern)])
        let text = "\"\(String(repeating: "a", count: count))?\""
        let start = clockTime(CLOCK_THREAD_CPUTIME_ID)

        let result = schema.validate(try JSONDocument(text))

        #expect(!result.isValid)
        #expect(clockTime(CLOCK_THREAD_CPUTIME_ID) - start < 30_000_000_000, "nanoseconds of this thread")
    }

    @Test(arguments: [
        ("^(a|b)*$", "ab", 200_000), ("^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==)?$", "QUJD", 500_000),
        ("^(?:[^,]+(?:,|$))*$", "abc,", 250_000), ("[0-9]", "7abc", 250_000),
    ])
    func `long texts match ordinary patterns`(pattern: String, part: String, count: Int) throws {
        let schema = try JSONSchema(["pattern": .string(pattern)])

        let document = try JSONDocument("\"\(String(repeating: part, count: count))\"")

        #expect(schema.isValid(document))
    }

    @Test func `a pattern of contentSchema reads memory that lives`() throws {
        var options = JSONSchema.Options()
        options.contents = true
        let schema = try JSONSchema(
            [
                "contentMediaType": "application/json",
                "contentSchema": ["uniqueItems": true, "items": ["pattern": "^(a|aa)+$"]],
            ], options: options)
        func document(_ strings: [String]) throws -> JSONDocument {
            let inner = "[\(strings.map { "\\\"\($0)\\\"" }.joined(separator: ","))]"
            return try JSONDocument("\"\(inner)\"")
        }
        let strings = (1...40).map { String(repeating: "a", count: $0 * 30) }

        for _ in 0..<20 {
            #expect(try schema.isValid(document(strings)))
            #expect(try !schema.isValid(document(strings + [strings[3]])))
            #expect(try !schema.isValid(document(strings + ["b"])))
        }
    }
}
