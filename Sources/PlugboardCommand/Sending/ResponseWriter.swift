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
    /// That of bodies in JSON.
    private let layout: JSONLayout?
    private let showsSecrets: Bool

    /// - Parameter file: The path of the file for the body; nil or `-` for standard output.
    init(_ arguments: OutputArguments, _ file: String?) throws(CommandFailure) {
        switch file {
        case nil, "-": output = .standard
        case let path?: output = try ByteOutput(path: path)
        }
        isForReaders = file == nil && output.isTerminal
        layout = arguments.printing.layout ?? (isForReaders ? .forTerminals : nil)
        showsSecrets = arguments.showSecrets
    }

    func write(_ heads: [ResponseHead]) throws {
        try ResponseWriter.write(heads, to: output, isForReaders, showingSecrets: showsSecrets)
    }

    /// - Parameters:
    ///   - isForReaders: Whether secrets and what controls a terminal are left out.
    ///   - showingSecrets: Whether secrets are not left out.
    static func write(
        _ heads: [ResponseHead], to output: ByteOutput, _ isForReaders: Bool, showingSecrets: Bool = false
    ) throws {
        for head in heads { try output.write(isForReaders ? Bytes(text(of: head, showingSecrets)) : bytes(of: head)) }
    }

    /// Writes the body.
    func write(_ response: Response) async throws { try await writer(for: response[.contentType]).write(response.body) }

    /// Writes a request as HTTP/1.1 has it, without the values of secret fields.
    ///
    /// - Parameters:
    ///   - head: Nil leaves it out.
    ///   - body: Nil leaves it out.
    func write(_ head: SentRequest.Head?, _ body: Bytes?, of type: String?) throws(CommandFailure) {
        if let head {
            let fields = head.fields.map { field in
                let value =
                    showsSecrets ? Printable.text(field.value) : Printable.value(of: field, showingQuery: true)
                return "\(Printable.text(field.name)): \(value)\n"
            }
            try output.write(Bytes("\(Printable.text(head.line))\n\(fields.joined())\n"))
        }
        if let body, body.count > 0 {
            try writer(for: type).write(body)
            // The response must not continue the last line.
            try output.write(Bytes("\n"))
        }
    }

    private func writer(for type: String?) -> BodyWriter {
        BodyWriter(output, isForReaders: isForReaders, layout: ResponseWriter.isJSON(type) ? layout : nil)
    }

    private static func title(of head: ResponseHead) -> String {
        "HTTP/\(head.version.rawValue) \(head.status) \(head.reason)"
    }

    /// The head without control characters, and without secrets unless they are shown.
    private static func text(of head: ResponseHead, _ showsSecrets: Bool) -> String {
        let fields = head.fields.map { field in
            let value = showsSecrets ? Printable.text(field.value) : Printable.value(of: field)
            return "\(Printable.text(field.name)): \(value)\n"
        }
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
