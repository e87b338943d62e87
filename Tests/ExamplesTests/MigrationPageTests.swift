import Foundation
import Testing

/// What the tables of Documentation/migration.md promise.
struct MigrationPageTests {
    private static let page = "Documentation/migration.md"

    /// The cells of a column, of all tables that have it, without empty ones.
    private static func column(_ name: String) throws -> [String] {
        var cells: [String] = []
        var index: Int?
        for line in try Repository.text(page).split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("| ") else {
                if !line.hasPrefix("|") { index = nil }
                continue
            }
            let row = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
                .map { $0.trimmingCharacters(in: .whitespaces) }
            if let column = row.firstIndex(of: name) {
                index = column
            } else if let index, row.indices.contains(index), !row[index].isEmpty {
                cells.append(row[index].trimmingCharacters(in: ["`"]))
            }
        }
        return cells
    }

    /// All Swift files below a folder, one after the other.
    private static func sources(_ folder: String) throws -> String {
        let root = URL(fileURLWithPath: "\(Repository.root)/\(folder)")
        let files = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".swift") }
        return try files.map { try String(contentsOf: root.appendingPathComponent($0), encoding: .utf8) }
            .joined(separator: "\n")
    }

    @Test func `each line of code stands in an example that is compiled`() throws {
        let lines = try MigrationPageTests.column("in code")
        let examples = try MigrationPageTests.sources("Examples")

        #expect(lines.count > 50)
        #expect(lines.filter { !examples.contains($0) } == [])
    }

    @Test func `each wish has a test of the name that the page says`() throws {
        let names = try MigrationPageTests.column("test")
        let tests = try MigrationPageTests.sources("Tests")

        #expect(names.count > 45)
        #expect(names.filter { !tests.contains("func `\($0)`") } == [])
    }
}
