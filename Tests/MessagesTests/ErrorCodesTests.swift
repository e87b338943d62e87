import TestSupport
import Testing

@Suite struct ErrorCodesTests {
    @Test func `the tree of error codes names exactly the codes that are declared`() throws {
        let declared = try DeclaredCode.all().map(\.code)

        let tree = try codesOfTheTree()

        #expect(Set(tree).subtracting(declared) == [])
        #expect(Set(declared).subtracting(tree) == [])
        #expect(tree.count == Set(tree).count && declared.count == Set(declared).count)
    }

    @Test func `every error code says what it means in one sentence`() throws {
        for code in try DeclaredCode.all() {
            #expect(code.meaning.hasSuffix("."), "\(code.code) in \(code.file)")
        }
    }

    @Test func `every error is made with a declared code`() throws {
        for file in try DeclaredCode.sources() {
            let words = try DeclaredCode.text(of: file).split { $0 == " " || $0 == "\n" }.joined(separator: " ")
            #expect(!words.contains(#"PlugboardError(""#) && !words.contains(#"PlugboardError( ""#), "\(file)")
        }
    }

    /// The codes in the documentation comment of `PlugboardError`: a kind, and the names within it, each with its dot.
    private func codesOfTheTree() throws -> [String] {
        var (codes, kind) = ([String](), "")
        let text = try DeclaredCode.text(of: "Sources/PlugboardMessages/PlugboardError.swift")
        for line in text.split(separator: "\n").prefix(while: { $0.hasPrefix("///") }) where line.hasPrefix("///     ")
        {
            let words = line.dropFirst(8).split(separator: " ").map(String.init)
            if let first = words.first, !first.hasPrefix(".") { kind = first }
            let names = words.filter { $0.hasPrefix(".") }
            codes += names.isEmpty ? [kind] : names.map { kind + $0 }
        }
        return codes
    }
}
