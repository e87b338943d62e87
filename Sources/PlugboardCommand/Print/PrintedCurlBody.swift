import PlugboardKit

/// The body of a request as options of curl.
enum PrintedCurlBody {
    case none
    /// A file, sent unchanged.
    case file(String)
    case standardInput
    case parts([FormPart])
    /// A file, or standard input as `-`, by curl's `-T`: the body of a PUT without a type.
    case upload(String)
    case bytes(Bytes)

    /// The most bytes of a body that stands in the command line itself: Linux limits a word to 128 KiB.
    private static let wordLimit = 100_000

    /// The command whose output curl reads, if the body needs one, and the options of curl.
    ///
    /// Throws for a part that curl cannot express.
    func words() throws(CommandFailure) -> (command: String?, options: [String]) {
        switch self {
        case .none: return (nil, [])
        case .file(let path): return (nil, ["--data-binary", "@\(path)"])
        case .standardInput: return (nil, ["--data-binary", "@-"])
        case .upload(let path): return (nil, ["-T", path])
        case .parts(let parts):
            var options: [String] = []
            for part in parts { options += try PrintedCurlBody.options(of: part) }
            return (nil, options)
        case .bytes(let bytes):
            let text = bytes.withUnsafeBytes { String(validating: $0, as: UTF8.self) }
            if let text, bytes.count <= PrintedCurlBody.wordLimit, !text.utf8.contains(0) {
                return (nil, ["--data-raw", text])
            }
            return (ShellWord.printing(bytes), ["--data-binary", "@-"])
        }
    }

    private static func options(of part: FormPart) throws(CommandFailure) -> [String] {
        guard !part.name.contains("="), !part.name.isEmpty else {
            throw CommandFailure(.usage, "--print-curl: curl has no parts of forms with = in their names.")
        }
        var value: String
        switch part.content {
        case .text(let text):
            let isPlain = part.type == nil && part.fileName == nil && part.headers.isEmpty
            if isPlain { return ["--form-string", "\(part.name)=\(text)"] }
            value = quoted(text, isText: true)
        case .file(let path):
            value = (part.fileName == nil ? "<" : "@") + quoted(path, isText: false)
        }
        if let type = part.type { value += ";type=\(type)" }
        if let name = part.fileName { value += ";filename=\(quoted(name, isText: false))" }
        for argument in part.headers {
            let isFile = argument.hasPrefix("@")
            let text = quoted(isFile ? String(argument.dropFirst()) : argument, isText: true)
            value += ";headers=\(isFile ? "@" : "")\(text)"
        }
        return ["-F", "\(part.name)=\(value)"]
    }

    /// The text, in double quotes if curl would otherwise end it too early.
    private static func quoted(_ text: String, isText: Bool) -> String {
        let isSpecial =
            text.contains { ";,\"\\".contains($0) } || isText && (text.first.map { "@<".contains($0) } ?? false)
        guard isSpecial else { return text }
        return text.reduce(into: "\"") { quoted, character in
            if character == "\"" || character == "\\" { quoted.append("\\") }
            quoted.append(character)
        } + "\""
    }
}

extension BodyArguments {
    /// The body as options of curl; nil if the request's own bytes must be printed.
    func curlBody(_ items: RequestItems) throws -> PrintedCurlBody? {
        if items.haveData { return try items.curlBody() }
        if !parts.isEmpty { return .parts(try parts.map { try FormPart($0) }) }
        return (binary ?? (json.count == 1 ? InputArgument(json[0]) : nil)).flatMap { PrintedCurlBody(of: $0) }
    }
}

extension PrintedCurlBody {
    /// The file or standard input; nil for a text.
    init?(of input: InputArgument) {
        switch input {
        case .text: return nil
        case .file(let path): self = .file(path)
        case .standardInput: self = .standardInput
        }
    }
}
