/// What a header in C declares, as far as `plugboard.h` uses C: tokens and no more, so that comments and lines do not
/// count.
struct HeaderDeclarations {
    /// A member of a struct: its name, and its whole declaration in tokens.
    struct Field: Equatable {
        let name: String
        let tokens: [String]

        /// The declaration without the name: the type, as a cast would say it.
        var type: String { tokens.filter { $0 != name || tokens.count == 1 }.joined(separator: " ") }
    }

    /// By tag.
    private(set) var structs: [String: [Field]] = [:]
    /// By name: `typedef …` without a body, types of functions included.
    private(set) var types: [String: [String]] = [:]
    /// By name: functions that are defined in the header.
    private(set) var functions: [String: [String]] = [:]
    /// By name: each of its definitions, of all conditional branches.
    private(set) var macros: [String: [[String]]] = [:]
    private(set) var includes: Set<String> = []
    /// What was not understood.
    private(set) var rest: [String] = []

    init(_ text: String) {
        let lines = HeaderDeclarations.withoutComments(text).replacing("\\\n", with: " ").split(separator: "\n")
        var code: [String] = []
        for line in lines {
            let tokens = HeaderDeclarations.tokens(line)
            switch tokens.first {
            case "#": directive(Array(tokens.dropFirst()), line)
            default: code += tokens
            }
        }
        for declaration in HeaderDeclarations.declarations(code) { add(declaration) }
    }

    private mutating func directive(_ tokens: [String], _ line: Substring) {
        switch tokens.first {
        case "define": macros[tokens.count > 1 ? tokens[1] : "", default: []].append(Array(tokens.dropFirst(2)))
        case "include": includes.insert(tokens.dropFirst().joined())
        case "if", "ifdef", "ifndef", "else", "elif", "endif": break
        default: rest.append(String(line))
        }
    }

    private mutating func add(_ tokens: [String]) {
        let start = tokens.first == "typedef" ? 1 : 0
        if tokens.count > start + 3, tokens[start] == "struct", tokens[start + 2] == "{",
            let end = tokens.lastIndex(of: "}")
        {
            structs[tokens[start + 1]] = HeaderDeclarations.fields(Array(tokens[start + 3..<end]))
        } else if tokens.first == "typedef", let name = HeaderDeclarations.fields(tokens).first?.name {
            types[name] = tokens
        } else if tokens.first == "static", let open = tokens.firstIndex(of: "("), open > 0 {
            functions[tokens[open - 1]] = tokens
        } else {
            rest.append(tokens.joined(separator: " "))
        }
    }

    // MARK: Splitting

    private static func withoutComments(_ text: String) -> String {
        text.replacing(#/"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*(?:.|\n)*?\*//#) { match in
            match.output.hasPrefix("\"") ? match.output : " "
        }
    }

    private static func tokens(_ text: Substring) -> [String] {
        text.matches(of: /"(?:[^"\\]|\\.)*"|\w+|[^\s\w]/).map { String($0.output) }
    }

    /// At each `;` outside of braces, and after each body of a function. `extern "C" { … }` is looked through.
    private static func declarations(_ tokens: [String]) -> [[String]] {
        var declarations: [[String]] = []
        var current: [String] = []
        var depth = 0
        for token in tokens {
            if depth == 0, token == "{", current == ["extern", "\"C\""] {
                current = []
                continue
            }
            if depth == 0, token == "}" { continue }
            depth += token == "{" ? 1 : token == "}" ? -1 : 0
            if depth == 0, token == ";" {
                declarations.append(current)
                current = []
            } else {
                current.append(token)
                if depth == 0, token == "}", current.first == "static" {
                    declarations.append(current)
                    current = []
                }
            }
        }
        if !current.isEmpty { declarations.append(current) }
        return declarations
    }

    /// The name is the word before the `)` of the declarator.
    private static func fields(_ tokens: [String]) -> [Field] {
        tokens.split(separator: ";").map { tokens in
            let tokens = Array(tokens)
            // `uint32_t (*name)(…)`, and `typedef void (*PLUG_SENDABLE name)(…)`; else the last word.
            let star = tokens.indices.first { tokens[$0] == "*" && $0 > 0 && tokens[$0 - 1] == "(" }
            let close = star.flatMap { star in tokens[star...].firstIndex(of: ")") }
            return Field(name: close.map { tokens[$0 - 1] } ?? tokens.last ?? "", tokens: tokens)
        }
    }
}
