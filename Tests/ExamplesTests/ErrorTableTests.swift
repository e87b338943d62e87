import TestSupport
import Testing

/// The table of errors in the documentation.
struct ErrorTableTests {
    @Test func `the table of errors has each code once, with its meaning`() throws {
        let codes = try DeclaredCode.all()
        let rows = try Document("Documentation/errors.md").lines.filter { $0.hasPrefix("| `") && $0.contains("` | ") }

        let starts = codes.map { "| `\($0.code)` | \($0.meaning) | " }

        #expect(starts.count > 60)
        #expect(starts.filter { start in rows.filter { $0.hasPrefix(start) }.count != 1 } == [])
        let named = rows.compactMap { $0.firstMatch(of: /^\| `([^`]+)`/).map { String($0.output.1) } }
        let properties = ["code", "reason", "plugin", "attempt", "underlying"]
        #expect(Set(named).subtracting(codes.map(\.code)).subtracting(properties) == [])
    }
}
