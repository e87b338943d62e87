import PlugboardKit

/// The argument of an option that takes a text or a file: `@FILE` is a file, `-` and `@-` are standard input, and
/// anything else is the text itself.
enum InputArgument {
    case text(String)
    case file(String)
    case standardInput

    init(_ argument: String) {
        switch argument {
        case "-", "@-": self = .standardInput
        case let file where file.hasPrefix("@"): self = .file(String(file.dropFirst()))
        default: self = .text(argument)
        }
    }

    /// The argument of an option that takes a file only: `FILE`, or `-` or `@-` for standard input.
    init(path: String) { self = path == "-" || path == "@-" ? .standardInput : .file(path) }

    /// All bytes, in memory. Blocks.
    ///
    /// - Parameter advice: What to do with a file that is too large for that.
    func bytes(for option: String, advice: String = "") throws(CommandFailure) -> [UInt8] {
        switch self {
        case .text(let text): return Array(text.utf8)
        case .file(let path): return try FileContents.bytes(of: path, advice: advice)
        case .standardInput:
            try StandardInput.claim(for: option)
            return try FileContents.ofStandardInput(advice: advice)
        }
    }

    /// The input as a body. A file is read while it is sent. The beginning of what has no known size, such as a pipe,
    /// is read into memory first, which blocks: most bodies end there, and so have a length, as for curl.
    ///
    /// - Parameters:
    ///   - isRepeated: Whether several requests have this body. What can be read only once is then read into memory.
    ///   - isStreamed: Whether what has no known size is read only while it is sent, as for curl's `-T`.
    func body(
        for option: String, isRepeated: Bool = false, isStreamed: Bool = false
    ) throws(CommandFailure) -> Body {
        switch self {
        case .text(let text): return .text(text)
        case .file(let path):
            // The size of a pipe or a device is unknown. It is opened once: closing a pipe ends its writer.
            if FileContents.isRegular(path), let file = try? Body.file(path) { return file }
            if isRepeated { return .bytes(try bytes(for: option)) }
            let source = try DescriptorSource(path: path)
            return isStreamed ? Body(source) : try source.measured()
        case .standardInput:
            if isRepeated { return .bytes(try bytes(for: option)) }
            try StandardInput.claim(for: option)
            let source = DescriptorSource.standardInput
            return isStreamed ? Body(source) : try source.measured()
        }
    }
}
