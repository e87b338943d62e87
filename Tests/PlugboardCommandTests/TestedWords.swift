import Foundation

/// The words that tests of the command pass to it, read from the files of the tests.
///
/// A word counts where it is a text in a test that runs the command, or in a helper or a table of the same file that
/// such a test names. What is only expected (in `#expect` and `#require`, outside of a call that runs the command),
/// what a comment or the name of a test says, and tests that do not run the command do not count.
struct TestedWords {
    private(set) var words: Set<String> = []

    /// - Parameter folder: Has the files, also in its folders.
    init(in folder: URL) throws {
        var texts: [String: [String]] = [:]
        for case let file as URL in FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            ?? .init()
        where file.pathExtension == "swift" {
            let name = file.deletingPathExtension().lastPathComponent.prefix { $0 != "+" }
            texts[String(name), default: []].append(try String(contentsOf: file, encoding: .utf8))
        }
        for (_, texts) in texts { words.formUnion(TestedWords.words(of: texts.flatMap(Declaration.all))) }
    }

    /// A member of a type, or a declaration outside of types.
    private struct Declaration {
        var text: String
        var isTest: Bool { text.contains("@Test") }
        /// The name; nil for one that no other declaration can name.
        var name: String? { text.firstMatch(of: /\b(?:func|let|var) (\w+)/).map { String($0.1) } }

        static func all(in text: String) -> [Declaration] {
            var all: [Declaration] = []
            for line in text.split(separator: "\n") {
                let indentation = line.prefix { $0 == " " }.count
                let rest = line.dropFirst(indentation)
                if rest.hasPrefix("//") { continue }
                let isFirst = indentation <= 4 && rest.first.map { $0.isLetter || $0 == "@" } ?? false
                // The function after its attribute.
                let isContinued = all.last.map { $0.isTest && !$0.text.contains("func ") } ?? false
                if isFirst && !isContinued { all.append(Declaration(text: "")) }
                if all.isEmpty { continue }
                all[all.count - 1].text += line + "\n"
            }
            return all
        }
    }

    // MARK: What is passed

    private static let runners = ["run", "running", "shell", "onTerminal", "exec", "of"].map { "Command.\($0)" }
    /// Those that take a line for a shell.
    private static let shells: Set<String> = ["Command.shell", "Command.onTerminal", "CurlTrace.of", ".of"]

    private static func words(of declarations: [Declaration]) -> Set<String> {
        var runners = Set(self.runners + ["ProcessRunner.running"]).union(shells)
        // Helpers that run the command, and their helpers.
        var count = 0
        while runners.count != count {
            count = runners.count
            for declaration in declarations where !declaration.isTest && calls(declaration.text, runners) {
                if let name = declaration.name { runners.insert(name) }
            }
        }
        var (passing, others) = ([Declaration](), [Declaration]())
        for declaration in declarations {
            if declaration.isTest && calls(declaration.text, runners) {
                passing.append(declaration)
            } else if !declaration.isTest {
                others.append(declaration)
            }
        }
        var next = 0
        while next < passing.count {
            let names = Set(passing[next].text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
            passing += others.filter { $0.name.map(names.contains) ?? false }
            others.removeAll { $0.name.map(names.contains) ?? false }
            next += 1
        }
        let takeLines = passing.contains { calls($0.text, shells) }
        return passing.reduce(into: []) { words, declaration in
            for text in texts(in: withoutExpectations(declaration.text, runners)) {
                let parts = text.split(whereSeparator: \.isWhitespace).map(String.init)
                if parts.count == 1 || takeLines { words.formUnion(parts) }
            }
        }
    }

    /// Whether the text has a call of one of the functions.
    private static func calls(_ text: String, _ functions: Set<String>) -> Bool {
        functions.contains { !ranges(of: $0, in: text).isEmpty }
    }

    /// The ranges of the function's name where it is called.
    private static func ranges(of function: String, in text: String) -> [Range<String.Index>] {
        text.ranges(of: "\(function)(").filter { range in
            guard range.lowerBound > text.startIndex, !function.hasPrefix(".") else { return true }
            let before = text[text.index(before: range.lowerBound)]
            return !(before.isLetter || before.isNumber || before == "_")
        }
    }

    /// The text, in which only the calls of the functions are left of `#expect(…)` and `#require(…)`.
    private static func withoutExpectations(_ text: String, _ functions: Set<String>) -> String {
        var kept = ""
        var rest = text[...]
        while let start = rest.firstMatch(of: /#(?:expect|require)\(/) {
            kept += rest[..<start.range.lowerBound]
            let end = self.end(ofArguments: rest[start.range.upperBound...])
            let expectation = String(rest[start.range.upperBound..<end])
            for range in functions.flatMap({ ranges(of: $0, in: expectation) }) {
                kept += expectation[range.upperBound..<self.end(ofArguments: expectation[range.upperBound...])] + "\n"
            }
            rest = rest[end...]
        }
        return kept + rest
    }

    /// The closing parenthesis of a call, whose arguments the text begins with. Parentheses in texts are in pairs.
    private static func end(ofArguments text: Substring) -> String.Index {
        var depth = 1
        for index in text.indices {
            if text[index] == "(" { depth += 1 }
            if text[index] == ")" { depth -= 1 }
            if depth == 0 { return index }
        }
        return text.endIndex
    }

    /// What stands between double quotes. A quote inside of a text ends it, so that the words of a shell's line count.
    private static func texts(in code: String) -> [Substring] {
        let named = code.replacing(/`[^`]*`/, with: "")
        return named.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .compactMap { $0.offset.isMultiple(of: 2) ? nil : $0.element }.map { Substring(String($0)) }
    }
}
