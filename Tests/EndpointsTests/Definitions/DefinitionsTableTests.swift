import Foundation
import PlugboardJSON
import Testing

@testable import PlugboardEndpoints

/// Documentation/definitions.md, compared with the code.
struct DefinitionsTableTests {
    private let lines: [String]

    init() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let page = root.appending(path: "Documentation/definitions.md")
        lines = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n")
    }

    /// The rows of the first table under a heading.
    private func rows(under heading: String) -> [String] {
        let table = lines.drop { $0 != heading }.dropFirst().drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
        return Array(table.dropFirst(2))
    }

    private static func rows(_ schema: JSONValue, under prefix: String = "") -> [String] {
        (schema["properties"]?.objectValue ?? [:]).flatMap { name, key in
            guard key["properties"] == nil else { return rows(key, under: "\(prefix)\(name).") }
            let fallback = key["default"].map { "`\($0.stringValue ?? $0.description)`" } ?? ""
            let space = fallback.isEmpty ? "" : " "
            return ["| `\(prefix)\(name)` |\(space)\(fallback) | \(key["description"]?.stringValue ?? "") |"]
        }
    }

    @Test func `the table of keys is that of the reader`() throws {
        let rows = DefinitionsTableTests.rows(try #require(Definitions.schema["additionalProperties"]))

        #expect(rows.count > 30)
        #expect(self.rows(under: "## The keys of a definition") == rows)
    }

    @Test func `the table of a parameter's keys is that of the reader`() {
        let rows = DefinitionsTableTests.rows(Definitions.parameterSchema)

        #expect(rows.count > 10)
        #expect(self.rows(under: "## Parameters") == rows)
    }
}
