import Plugboard
import PlugboardJSON
import TestSupport
import Testing

/// The tables of the documentation, compared with the code that they describe.
struct DocumentationTests {
    @Test func `the README has 160 lines at most`() throws {
        #expect(try Document(Pages.readme).lines.count <= 161)
    }

    @Test func `the index of the documentation leads to each page`() throws {
        let links = try Document("Documentation/README.md").links.map { "Documentation/\($0)" }

        #expect(Pages.documentation.count > 8)
        for page in Pages.documentation where page != "Documentation/README.md" { #expect(links.contains(page)) }
    }

    @Test func `the chain of the README has the plugins with their own priorities, from the outermost`() throws {
        let chain = try Document(Pages.readme).lines.compactMap { $0.firstMatch(of: #/^\s+(\d+)  ([a-z.]+) /#) }

        let rows = chain.map { (priority: Int($0.output.1) ?? -1, id: String($0.output.2)) }

        #expect(rows.count == 8)
        #expect(rows.map(\.priority) == rows.map(\.priority).sorted())
        for row in rows where row.id != "stamp.so" {
            #expect(Catalog.bundled.descriptor(row.id)?.priority == row.priority, "\(row.id)")
        }
    }

    @Test func `the table of the kernel's keys is that of the schema`() throws {
        let kernel = try #require(ConfigurationSchema.write(.bundled)["properties"]?["kernel"])

        let rows = DocumentationTests.rows(kernel)

        #expect(rows.count > 20)
        #expect(try Document("Documentation/configuration.md").rows(under: "## `kernel`") == rows)
    }

    @Test func `the table of a plugin's keys is that of the schema`() throws {
        let schema = ConfigurationSchema.write(.bundled)
        let plugin = try #require(schema["properties"]?["plugins"]?["items"]?["anyOf"]?.arrayValue?.last)

        let rows = DocumentationTests.rows(plugin)

        #expect(rows.count > 9)
        #expect(try Document("Documentation/configuration.md").rows(under: "## `plugins`") == rows)
    }

    @Test func `the table of bundled plugins says what they say of themselves`() throws {
        let descriptors = Catalog.bundled.ids.compactMap { Catalog.bundled.descriptor($0) }.sorted {
            $0.priority < $1.priority
        }

        let rows = try Document("Documentation/plugins.md").rows(under: "## The bundled plugins")

        #expect(rows.count == descriptors.count)
        for (row, plugin) in zip(rows, descriptors) {
            #expect(row.hasPrefix("| `\(plugin.id)` | \(plugin.priority) | \(plugin.documentation) | "))
        }
    }

    @Test func `the glossary explains the words of the kernel, in alphabetical order`() throws {
        let lines = try Document("Documentation/glossary.md").lines
        let words = lines.compactMap { $0.firstMatch(of: /^\| \*\*([^*]+)\*\* \| ./).map { String($0.output.1) } }

        let wanted = [
            "exchange", "turn", "verdict", "hold", "ticket", "pull", "visit", "attempt", "attribute", "setting",
            "setting against attribute", "slot", "sub-request", "reply", "fault", "event",
        ]

        #expect(wanted.filter { !words.contains($0) } == [])
        #expect(words == words.sorted())
    }

    /// A row for each key of an object in a schema; those of an object within it under both names.
    private static func rows(_ schema: JSONValue, under prefix: String = "") -> [String] {
        var rows: [String] = []
        for (name, key) in schema["properties"]?.objectValue ?? [:] {
            if key["properties"] != nil {
                rows += self.rows(key, under: "\(prefix)\(name).")
            } else {
                let fallback = key["default"].map { "`\($0.stringValue ?? JSONWriter.write($0))` " } ?? ""
                rows.append("| `\(prefix)\(name)` | \(fallback)| \(key["description"]?.stringValue ?? "") |")
            }
        }
        return rows
    }
}
