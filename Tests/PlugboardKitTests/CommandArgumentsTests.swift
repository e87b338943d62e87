import PlugboardJSON
import PlugboardKit
import Testing

/// What a plugin reads of the arguments of its commands, and patterns that these contain.
@Suite struct CommandArgumentsTests {
    private func arguments(_ json: String, known: String = #"{"id": "", "all": ""}"#) throws -> CommandArguments {
        try CommandArguments(
            JSONParser.parse(json), of: CommandDefinition("show", "Shows.", arguments: known), code: .configuration)
    }

    private func reason(_ body: () throws -> Void) -> String? {
        let error = #expect(throws: PlugboardError.self) { try body() }
        #expect(error?.code == .configuration)
        return error?.reason
    }

    @Test func `texts, numbers and booleans are read as texts`() throws {
        #expect(try arguments(#"{"id": "a"}"#)["id"] == "a")
        #expect(try arguments(#"{"id": 404}"#)["id"] == "404")
        #expect(try arguments(#"{"all": true}"#).required("all") == "true")
        #expect(try arguments("{}")["id"] == nil)
    }

    @Test func `what cannot be read is an error that says what is needed`() {
        #expect(reason { _ = try arguments("[]") } == "The arguments of show are not a JSON object.")
        #expect(reason { _ = try arguments(#"{"x": 1}"#) } == "show has no argument x; it has id, all.")
        #expect(reason { _ = try arguments(#"{"x": 1}"#, known: "") } == "show has no argument x; it has none.")
        #expect(reason { _ = try arguments("{}").required("id") } == "show needs id: add id=….")
        #expect(reason { _ = try arguments(#"{"id": null}"#)["id"] } == "id of show must be a text, and not null.")
    }

    @Test(arguments: [
        ("a*c", "abc", true), ("a*c", "ac", true), ("a*c", "a", false), ("*", "", true), ("", "", true),
        ("", "a", false),
        ("a*b*b", "ab", false), ("a*b*b", "abb", true), ("*x*", "axb", true), ("*x*", "ab", false),
    ])
    func `a wildcard matches the whole of a text`(pattern: String, text: String, isMatched: Bool) {
        #expect(Wildcard(pattern).matches(Array(text.utf8)) == isMatched)
        #expect(Wildcard(pattern.replacing("*", with: "…"), any: "…").matches(Array(text.utf8)) == isMatched)
    }

    @Test func `a sign before a combining mark stands for any text`() {
        #expect(Wildcard("a*\u{301}").matches(Array("abe\u{301}".utf8)))
    }
}
