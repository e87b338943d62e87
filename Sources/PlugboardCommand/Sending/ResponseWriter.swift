import Plugboard

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Writes a response to the output that the command line names.
///
/// A file or a pipe gets the bytes unchanged. A terminal gets JSON in a readable layout, no secrets of the head, and no
/// characters that control the terminal.
struct ResponseWriter {
    private let output: ByteOutput
    /// Whether standard output is a terminal, and `-o -` does not ask for raw bytes.
    private let isForReaders: Bool

    /// - Parameter file: The path of the file for the body; nil or `-` for standard output.
    init(_ arguments: OutputArguments, _ file: String?) throws(CommandFailure) {
        switch file {
        case nil, "-": output = .standard
        case let path?: output = try ByteOutput(path: path)
        }
        isForReaders = file == nil && output.isTerminal
    }

    func write(_ heads: [ResponseHead]) throws { try ResponseWriter.write(heads, to: output, isForReaders) }

    /// - Parameter isForReaders: Whether secrets and what controls a terminal are left out.
    static func write(_ heads: [ResponseHead], to output: ByteOutput, _ isForReaders: Bool) throws {
        for head in heads { try output.write(isForReaders ? Bytes(text(of: head)) : bytes(of: head)) }
    }

    /// Writes the body.
    func write(_ response: Response) async throws {
        let isJSON = isForReaders && ResponseWriter.isJSON(response[.contentType])
        try await BodyWriter(output, isForReaders: isForReaders, isJSON: isJSON).write(response.body)
    }

    private static func title(of head: ResponseHead) -> String {
        "HTTP/\(head.version.rawValue) \(head.status) \(head.reason)"
    }

    /// The head without secrets and control characters.
    private static func text(of head: ResponseHead) -> String {
        let fields = head.fields.map { "\(Printable.text($0.name)): \(Printable.value(of: $0))\n" }
        return "\(Printable.text(title(of: head)))\n\(fields.joined())\n"
    }

    /// The head as HTTP/1.1 writes it, byte for byte.
    static func bytes(of head: ResponseHead) -> Bytes {
        var bytes = Array("\(title(of: head))\r\n".utf8)
        for index in head.fields.indices {
            head.fields.withField(index) { name, value in
                bytes += name
                bytes += ": ".utf8
                bytes += value
            }
            bytes += "\r\n".utf8
        }
        return Bytes(bytes + "\r\n".utf8)
    }

    /// Whether a content type is `application/json` or ends in `+json` (RFC 6839 §3.1).
    private static func isJSON(_ contentType: String?) -> Bool {
        guard let contentType else { return false }
        let type = contentType.prefix { $0 != ";" && $0 != " " }.lowercased()
        return type == "application/json" || type.hasSuffix("+json")
    }
}
