import Foundation
import Testing

/// Reads all sources of all modules, and finds public declarations without a docstring.
///
/// The sources are formatted by `swift format`, so the indentation of a line says what it belongs to.
@Suite struct DocstringTests {
    @Test func `every public declaration has a docstring`() throws {
        let files = try SourceFile.all()
        let requirements = files.reduce(into: Set<String>()) { $0.formUnion($1.documentedRequirements) }

        let declarations = files.flatMap(\.publicDeclarations)
        let missing = declarations.filter {
            !$0.hasDocstring && !$0.inherits(from: requirements) && !$0.isStandardWitness
        }

        #expect(missing.map { "\($0.location): \($0.text)" } == [])
        #expect(declarations.count > 1400)
    }

    @Test(arguments: [
        "public func send() {}", "public let id: Int", "@inlinable public var id: Int { 1 }", "public init?() {}",
        "public static func == (left: A, right: B) -> Bool { true }", "public final class Part {", "public enum Part {",
        "public protocol Part {", "public typealias Part = Int", "public subscript(index: Int) -> Int { 1 }",
        "public actor Part {", "public internal(set) var id: Int", "nonisolated public mutating func send() {}",
        "@available(*, deprecated) public indirect enum Part {", "public class func make() {}",
    ])
    func `a declaration without a docstring is found, and with one it is not`(_ declaration: String) {
        let bare = SourceFile("A.swift", "struct Whole {\n\n    \(declaration)\n}\n")
        let documented = SourceFile("A.swift", "struct Whole {\n    /// Words.\n    @objc\n    \(declaration)\n}\n")

        #expect(bare.publicDeclarations.map(\.hasDocstring) == [false])
        #expect(documented.publicDeclarations.map(\.hasDocstring) == [true])
    }

    @Test func `cases of a public enumeration and requirements of a public protocol are public too`() {
        let file = SourceFile(
            "A.swift",
            """
            /// Words.
            public enum Word {
                case one
                indirect case two(Word)

                enum Inner {
                    case three
                }
                func same(_ word: Word) -> Bool {
                    switch word {
                    case .one: true
                    }
                }
            }
            /// Words.
            public protocol Speaker {
                associatedtype Word
                var word: Word { get }
                static func speak()
                init()
            }
            """)

        let missing = file.publicDeclarations.filter { !$0.hasDocstring }.map(\.text)

        #expect(
            missing == [
                "case one", "indirect case two(Word)", "associatedtype Word", "var word: Word { get }",
                "static func speak()", "init()",
            ])
    }

    @Test func `a member of a conformance inherits the docstring of the protocol's requirement of that name`() {
        let file = SourceFile(
            "A.swift",
            """
            /// Words.
            public protocol Speaker {
                /// Words.
                func speak()
                func shout()
            }
            extension Int: Speaker {
                public func speak() {}
                public func shout() {}
            }
            extension Double {
                public func speak() {}
            }
            """)

        let missing = file.publicDeclarations.filter {
            !$0.hasDocstring && !$0.inherits(from: file.documentedRequirements)
        }

        #expect(missing.map(\.location) == ["A.swift:5", "A.swift:9", "A.swift:12"])
    }

    @Test func `a setting is documented by its docstring or by the text of its attribute`() {
        let file = SourceFile(
            "A.swift",
            """
            struct Settings {
                @Setting("Words.")
                public var one = 1
                @Setting(
                    "Words.",
                    in: 0...1)
                public var two = 2
                @Other("Words.")
                public var three = 3
            }
            """)

        #expect(file.publicDeclarations.map(\.hasDocstring) == [true, true, false])
    }
}

/// A line of Swift that begins a declaration.
private struct Declaration {
    private static let keywords: Set<String> = [
        "func", "var", "let", "init", "subscript", "struct", "class", "enum", "protocol", "actor", "typealias", "case",
        "macro", "associatedtype",
    ]
    private static let modifiers: Set<Substring> = [
        "public", "open", "package", "internal", "fileprivate", "private", "final", "static", "nonisolated", "mutating",
        "indirect", "convenience", "required", "override", "unowned", "weak", "lazy",
    ]

    let text: String
    let isPublic: Bool
    /// `func`, `var`, `init` and so on.
    let keyword: String
    /// The word after the keyword; of an initializer and a subscript the keyword.
    let name: String

    init(_ text: String) {
        self.text = text
        var words = Declaration.withoutAttributes(text).split(separator: " ")[...]
        var isPublic = false
        while let word = words.first {
            let isModifier = Declaration.modifiers.contains(word.prefix { $0 != "(" })
            guard isModifier || word == "class" && ["func", "var"].contains(words.dropFirst().first) else { break }
            isPublic = isPublic || word == "public" || word == "open"
            words.removeFirst()
        }
        let keyword = words.first.map { String($0.prefix { $0.isLetter }) } ?? ""
        self.keyword = keyword
        self.isPublic = isPublic && Declaration.keywords.contains(keyword)
        let name = words.dropFirst().first?.prefix { !"(:<,=".contains($0) } ?? ""
        self.name =
            switch keyword {
            case "init", "subscript": keyword
            default: name.isEmpty ? String(words.dropFirst().first?.prefix { $0 != "(" } ?? "") : String(name)
            }
    }

    var isType: Bool { ["struct", "class", "enum", "protocol", "extension", "actor"].contains(keyword) }

    /// Whether it is public because it belongs to a public type.
    func isPublicMember(of type: Declaration) -> Bool {
        switch type.keyword {
        case "enum": type.isPublic && keyword == "case"
        case "protocol":
            type.isPublic && ["associatedtype", "var", "func", "init", "subscript"].contains(keyword)
        default: false
        }
    }

    private static func withoutAttributes(_ text: String) -> Substring {
        var rest = text[...]
        while rest.first == "@" {
            var depth = 0
            rest = rest.drop { character in
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
                return character != " " || depth > 0
            }
            rest = rest.drop { $0 == " " }
        }
        return rest
    }
}

/// A file of Swift, as far as its public declarations matter.
private struct SourceFile {
    struct Member {
        let location: String
        let declaration: Declaration
        let hasDocstring: Bool
        /// The type or extension around it.
        let type: Declaration?

        var text: String { declaration.text }

        /// Whether it stands in an extension of a type by a protocol, or of a protocol, whose requirement of the same
        /// name has a docstring: DocC shows that one.
        func inherits(from requirements: Set<String>) -> Bool {
            guard let type, type.keyword == "extension" else { return false }
            let names = type.text.split { ":,{ ".contains($0) }
            return names.contains { requirements.contains("\($0).\(declaration.name)") }
        }

        /// Whether the standard library says what it does.
        var isStandardWitness: Bool {
            ["==", "hash", "description", "customMirror", "encode", "CodingKeys"].contains(declaration.name)
                || text.contains("init(from decoder:")
        }
    }

    private(set) var publicDeclarations: [Member] = []

    /// Of public protocols, as `Protocol.name`; a protocol has those of the protocols in this file that it refines.
    var documentedRequirements: Set<String> {
        var requirements = Set<String>()
        for member in publicDeclarations where member.hasDocstring && member.type?.keyword == "protocol" {
            requirements.insert("\(member.type?.name ?? "").\(member.declaration.name)")
        }
        for refined in publicDeclarations.map(\.declaration) where refined.keyword == "protocol" {
            for parent in refined.text.split(whereSeparator: { ":,{ ".contains($0) }) {
                for requirement in requirements where requirement.hasPrefix("\(parent).") {
                    requirements.insert("\(refined.name)\(requirement.dropFirst(parent.count))")
                }
            }
        }
        return requirements
    }

    static func all() throws -> [SourceFile] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let plugins = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "Plugins").path)
        let folders = ["Sources"] + plugins.sorted().map { "Plugins/\($0)/Sources" }
        return try folders.flatMap { folder in
            let names = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
            return try (names?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }.sorted().map {
                SourceFile(
                    "\(folder)/\($0)",
                    try String(contentsOf: root.appending(path: "\(folder)/\($0)"), encoding: .utf8))
            }
        }
    }

    init(_ path: String, _ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var types: [(indentation: Int, declaration: Declaration)] = []
        for (index, line) in lines.enumerated() {
            let indentation = line.prefix { $0 == " " }.utf8.count
            let text = String(line.dropFirst(indentation))
            // A declaration of several lines ends with a line of its own for the bracket or the conditions.
            if text.isEmpty || ["//", "#", "{", ")", "where "].contains(where: text.hasPrefix) { continue }
            while let type = types.last, type.indentation >= indentation { types.removeLast() }
            let declaration = Declaration(text)
            let type = types.last
            let isMember = type.map { $0.indentation == indentation - 4 } ?? true
            if declaration.isPublic
                || isMember && type.map({ declaration.isPublicMember(of: $0.declaration) }) == true
            {
                publicDeclarations.append(
                    Member(
                        location: "\(path):\(index + 1)", declaration: declaration,
                        hasDocstring: SourceFile.hasDocstring(lines[..<index]), type: type?.declaration))
            }
            if declaration.isType { types.append((indentation, declaration)) }
        }
    }

    /// Whether the lines before a declaration end with a docstring, or with the attribute of a setting and its text.
    private static func hasDocstring(_ above: ArraySlice<String>) -> Bool {
        var attribute = ""
        for line in above.reversed() {
            let text = String(line.drop { $0 == " " })
            if attribute.isEmpty && text.hasPrefix("///") { return true }
            attribute = "\(text)\n\(attribute)"
            // The end of an attribute of several lines closes what an earlier line opens.
            let depth = attribute.reduce(0) { $0 + ($1 == "(" ? 1 : $1 == ")" ? -1 : 0) }
            if depth < 0 { continue }
            guard depth == 0, attribute.hasPrefix("@") else { return false }
            if attribute.hasPrefix("@Setting(") && attribute.contains("\"") { return true }
            attribute = ""
        }
        return false
    }
}
