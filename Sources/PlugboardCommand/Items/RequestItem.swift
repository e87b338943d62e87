import PlugboardKit
import PlugboardMessages

/// One request item of the command line, after HTTPie: a name, a separator that says what the value is for, and the
/// value. The first separator counts; a backslash before `:`, `;`, `=`, `@`, `[`, `]` or `\` makes it part of the name.
struct RequestItem {
    /// What a value is for. The raw values are the separators, of which a longer one is tried first.
    enum Kind: String, CaseIterable {
        case jsonFile = ":=@"
        case queryFile = "==@"
        case json = ":="
        case query = "=="
        case textFile = "=@"
        case fieldFile = ":@"
        case text = "="
        case file = "@"
        case field = ":"
        /// `Name;`, only at the end of the word.
        case emptyField = ";"
    }

    let kind: Kind
    /// The characters of the name; an escaped one has no meaning in nested names.
    let letters: [(scalar: Unicode.Scalar, isEscaped: Bool)]
    let value: String

    var name: String {
        var name = ""
        for letter in letters { name.unicodeScalars.append(letter.scalar) }
        return name
    }

    /// - Parameter position: The number of the word among the request items, from 1, for errors.
    init(_ word: String, at position: Int) throws(CommandFailure) {
        // Scalars, because a combining mark would form one character with a separator before it.
        let scalars = Array(word.unicodeScalars)
        var letters: [(scalar: Unicode.Scalar, isEscaped: Bool)] = []
        var index = 0
        while index < scalars.count {
            let rest = scalars[index...]
            if scalars[index] == "\\", index + 1 < scalars.count,
                // In brackets, a number that is not escaped is an index.
                RequestItem.special.contains(scalars[index + 1])
                    || letters.last?.scalar == "[" && ("0"..."9").contains(scalars[index + 1])
            {
                letters.append((scalars[index + 1], true))
                index += 2
                continue
            }
            if let kind = Kind.allCases.first(where: { rest.starts(with: $0.rawValue.unicodeScalars) }),
                kind != .emptyField || rest.count == 1
            {
                var value = ""
                value.unicodeScalars.append(contentsOf: rest.dropFirst(kind.rawValue.unicodeScalars.count))
                (self.kind, self.letters, self.value) = (kind, letters, value)
                try check()
                return
            }
            letters.append((scalars[index], false))
            index += 1
        }
        // The word is not shown: without its quotes, the value of a field stands alone.
        throw CommandFailure(
            .usage,
            "Word \(position) beside the URL is no request item: write name=value, name:=JSON, name==value for the query, "
                + "Name:value for a header field, or name@FILE, and quotes around what has blanks.")
    }

    private static let special: Set<Unicode.Scalar> = [":", ";", "=", "@", "[", "]", "\\"]

    private func check() throws(CommandFailure) {
        // `@FILE` is the whole body.
        if letters.isEmpty, kind != .file {
            throw CommandFailure(.usage, "A request item must have a name before its \(kind.rawValue).")
        }
        if [.field, .fieldFile, .emptyField].contains(kind), !isToken(name) {
            throw CommandFailure(
                .usage,
                "A request item has a name before its \(kind.rawValue) that no header field can have: JSON as a whole "
                    + "is written --json TEXT.")
        }
        // A host, a port and a path, as in `localhost:8080/path`. The value is not shown, because it may be secret.
        let port = value.prefix { $0.isASCII && $0.isNumber }
        let isHost = name == "localhost" || name.contains(".")
        if kind == .field, isHost, (1...5).contains(port.count), value[port.endIndex...].hasPrefix("/") {
            throw CommandFailure(
                .usage,
                "\(Printable.text(String(name.prefix(40)))):… can be a URL or a header field: write http:// before a further "
                    + "URL, and a field with -H.")
        }
    }

    /// The value, or the content of the file that it names, in memory. Blocks.
    func bytes() throws(CommandFailure) -> [UInt8] {
        switch kind {
        case .jsonFile, .queryFile, .textFile, .fieldFile: try InputArgument("@\(value)").bytes(for: label)
        default: Array(value.utf8)
        }
    }

    /// The text of `bytes()`. Throws if the bytes of a file are not UTF-8.
    func text() throws(CommandFailure) -> String {
        guard let text = String(validating: try bytes(), as: UTF8.self) else {
            throw CommandFailure(
                .usage, "\(label): the file is not UTF-8. \(Printable.text(name))@FILE sends any bytes as a file.")
        }
        return text
    }

    /// How errors call it.
    var label: String { "\(Printable.text(name))\(kind.rawValue)" }
}
