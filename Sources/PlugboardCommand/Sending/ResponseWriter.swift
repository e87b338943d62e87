import Plugboard

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Writes an answer to where the command line says.
///
/// Bytes go out as they come. Only a terminal gets JSON laid out, and neither secrets of the head nor anything that steers
/// the terminal.
struct ResponseWriter {
    private let output: ByteOutput
    private let showsHead: Bool
    /// Whether standard output is a terminal and nobody insists on raw bytes by `-o -`.
    private let isForReaders: Bool

    init(_ arguments: OutputArguments, showsHead: Bool) throws(CommandFailure) {
        switch arguments.output {
        case nil, "-": output = .standard
        case let path?: output = try ByteOutput(path: path)
        }
        self.showsHead = showsHead
        isForReaders = arguments.output == nil && output.isTerminal
    }

    func write(_ response: Response) async throws {
        if showsHead {
            let head = response.head
            try output.write(isForReaders ? Bytes(ResponseWriter.text(of: head)) : ResponseWriter.bytes(of: head))
        }
        let isJSON = isForReaders && ResponseWriter.isJSON(response[.contentType])
        try await BodyWriter(output, isForReaders: isForReaders, isJSON: isJSON).write(response.body)
    }

    private static func title(of head: ResponseHead) -> String {
        "HTTP/\(head.version.rawValue) \(head.status) \(head.reason)"
    }

    /// The head as it may be shown.
    private static func text(of head: ResponseHead) -> String {
        let fields = head.fields.map { "\(printable($0.name)): \(printable($0))\n" }
        return "\(printable(title(of: head)))\n\(fields.joined())\n"
    }

    /// The head as HTTP/1.1 writes it, byte for byte.
    private static func bytes(of head: ResponseHead) -> Bytes {
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

    /// `application/json` and all that ends in `+json` (RFC 6839 §3.1).
    private static func isJSON(_ contentType: String?) -> Bool {
        guard let contentType else { return false }
        let type = contentType.prefix { $0 != ";" && $0 != " " }.lowercased()
        return type == "application/json" || type.hasSuffix("+json")
    }
}
