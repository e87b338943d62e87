import TestSupport
import Testing

/// The table of errors in the documentation.
struct ErrorTableTests {
    @Test func `the constant of a code has the words of the code in camel case`() throws {
        let codes = try DeclaredCode.all()

        let others = codes.filter { declared in
            let words = declared.code.split(separator: ".")
            // Acronyms are in capitals; so only the first letter of each word is compared as it is written.
            var rest = declared.constant[...]
            let fits = words.enumerated().allSatisfy { index, word in
                let part = rest.prefix(word.count)
                rest = rest.dropFirst(word.count)
                let isCapital = part.first?.isUppercase == true
                return part.lowercased() == word.lowercased() && isCapital == (index > 0)
            }
            return !fits || !rest.isEmpty
        }

        #expect(others.map { "\($0.constant) = \($0.code)" } == [])
    }

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
