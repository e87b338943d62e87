import PlugboardCodecs
import PlugboardKit
import PlugboardMessages

/// One part of a form as the command line writes it, after curl's `-F`.
///
///     title=Lake                         a text
///     image=@lake.jpg                    a file, with its name and the type of its extension
///     notes=<notes.txt                   the content of a file as a text
///     data=@a.bin;type=x/y;filename=b    with another type and another name
///     odd=@"a;b.txt"                     quotes around a name with a semicolon
///     data=@a.bin;headers="X-A: b"       with a field of the part; headers=@FILE has one on each line
struct FormPart: Equatable {
    enum Content: Equatable {
        case text(String)
        /// A path, or `-`.
        case file(String)
    }

    var name: String
    var content: Content
    var fileName: String?
    var type: String?
    /// The arguments of `headers=`: a field, or `@FILE`.
    var headers: [String] = []

    init(_ text: String) throws(CommandFailure) {
        if case (.literal, let text)? = OptionWords.kind(of: text) {
            self = try FormPart(literal: text)
            return
        }
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { throw FormPart.malformed }
        name = String(text[..<equals])
        let value = text[text.index(after: equals)...]
        var segments = FormPart.segments(of: value)
        guard value.hasPrefix("@") || value.hasPrefix("<") else {
            // A semicolon belongs to the text unless a known word follows it.
            let count = segments.firstIndex { FormPart.option(in: $0) != nil } ?? segments.count
            content = .text(segments[..<count].joined(separator: ";"))
            try read(segments[count...])
            return
        }
        let path = try FormPart.unquoted(segments.removeFirst().dropFirst())
        content = .file(path)
        if value.hasPrefix("@") {
            fileName = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
        }
        try read(segments[...])
        guard type == nil, let fileName else { return }
        // As for curl, the file decides only if the name that is sent has no known extension.
        let known = [fileName, path].map { MediaType.name(ofFile: $0) }
        type = known.first { $0 != "application/octet-stream" } ?? known[0]
    }

    /// A name and a text without special characters, as in curl's `--form-string`.
    init(literal text: String) throws(CommandFailure) {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { throw FormPart.malformed }
        name = String(text[..<equals])
        content = .text(String(text[text.index(after: equals)...]))
    }

    /// The part as it is sent. Opens its file, and reads those of `headers=`, which blocks.
    ///
    /// - Parameter isStreamed: Whether a pipe is read only while the part is sent.
    func part(isStreamed: Bool = false) throws(CommandFailure) -> MultipartForm.Part {
        var part: MultipartForm.Part
        switch content {
        case .text(let text): part = .data(name, Bytes(text), fileName: fileName, type: type)
        case .file(let path):
            let body = try InputArgument(path: path).body(for: "--form", isStreamed: isStreamed)
            part = .body(name, body, fileName: fileName, type: type)
        }
        for argument in headers {
            for field in try FieldArgument.all(in: argument, for: "--form", hasComments: true) {
                let isLine = field.value?.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x09 } ?? true
                guard isLine, isToken(field.name.text) else {
                    throw CommandFailure(.usage, "--form: a field of headers= must be one line with a name.")
                }
                part.fields.append(field.name, field.value ?? "")
            }
        }
        return part
    }

    private mutating func read(_ segments: ArraySlice<Substring>) throws(CommandFailure) {
        var isAfterType = false
        for segment in segments {
            switch FormPart.option(in: segment) {
            case ("type", let value)?:
                type = try FormPart.unquoted(value)
                isAfterType = true
            case ("filename", let value)?:
                fileName = try FormPart.unquoted(value)
                isAfterType = false
            case ("headers", let value)?:
                let isFile = value.hasPrefix("@") || value.hasPrefix("<")
                headers.append(try isFile ? "@" + FormPart.unquoted(value.dropFirst()) : FormPart.unquoted(value))
                isAfterType = false
            default:
                // A parameter of the type, such as charset=utf-8.
                guard isAfterType, let own = type else {
                    throw CommandFailure(
                        .usage,
                        "--form: after the file's name, only ;type=, ;filename= and ;headers= can follow. Put a name with a semicolon "
                            + "in double quotes.")
                }
                type = "\(own);\(segment)"
            }
        }
        guard let type else { return }
        let isType = type.contains("/") && type.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        guard isType else { throw CommandFailure(.usage, "--form: ;type= must be a media type like text/plain.") }
    }

    private static let malformed = CommandFailure(.usage, "--form must be name=value, name=@FILE or name=<FILE.")

    /// The texts between semicolons, except for those inside double quotes.
    private static func segments(of value: Substring) -> [Substring] {
        var segments: [Substring] = []
        var start = value.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in value.indices {
            switch value[index] {
            case _ where isEscaped: isEscaped = false
            case "\\" where isQuoted: isEscaped = true
            case "\"": isQuoted.toggle()
            case ";" where !isQuoted:
                segments.append(value[start..<index])
                start = value.index(after: index)
            default: break
            }
        }
        return segments + [value[start...]]
    }

    private static func option(in segment: Substring) -> (name: String, value: Substring)? {
        let text = segment.drop { $0 == " " }
        guard let equals = text.firstIndex(of: "=") else { return nil }
        let name = text[..<equals].lowercased()
        guard ["type", "filename", "headers"].contains(name) else { return nil }
        return (name, text[text.index(after: equals)...])
    }

    /// The text without blanks at its end and without its double quotes, inside which a backslash escapes a quote or a
    /// backslash.
    private static func unquoted(_ text: Substring) throws(CommandFailure) -> String {
        let text = text[..<(text.lastIndex { $0 != " " }.map { text.index(after: $0) } ?? text.startIndex)]
        guard text.first == "\"" else { return String(text) }
        guard text.count >= 2, text.last == "\"" else {
            throw CommandFailure(.usage, "--form: a double quote is not closed.")
        }
        var plain = ""
        var isEscaped = false
        for character in text.dropFirst().dropLast() {
            if character == "\\" && !isEscaped {
                isEscaped = true
            } else {
                if isEscaped && character != "\"" && character != "\\" { plain.append("\\") }
                plain.append(character)
                isEscaped = false
            }
        }
        return plain
    }
}
