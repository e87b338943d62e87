import JSON
import Plugboard

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Writes an answer to where the command line says.
///
/// Bytes go out as they come. Only a terminal gets JSON laid out, and neither secrets of the head nor bytes that would
/// upset it.
struct ResponseWriter {
    /// JSON beyond this is not laid out: nobody reads it on a terminal.
    private static let layoutLimit = 4 << 20

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
        if !isForReaders {
            for try await piece in response.body { try output.write(piece) }
        } else if ResponseWriter.isJSON(response[.contentType]) {
            try await writeLaidOut(response.body)
        } else {
            try await writeForReaders(response.body)
        }
    }

    private func writeLaidOut(_ body: Body) async throws {
        var pieces: [Bytes] = []
        var count = 0
        for try await piece in body {
            pieces.append(piece)
            count += piece.count
            if count > ResponseWriter.layoutLimit {
                for piece in pieces { try output.write(piece) }
                pieces = []
            }
        }
        let bytes = Bytes.joined(pieces)
        guard count <= ResponseWriter.layoutLimit, let value = try? bytes.withUnsafeBytes({ try JSONParser.parse($0) })
        else { return try output.write(bytes) }
        try output.write(JSONText.write(value, isForTerminal: true) + "\n")
    }

    private func writeForReaders(_ body: Body) async throws {
        var isFirst = true
        for try await piece in body {
            if isFirst, piece.withUnsafeBytes({ $0.contains(0) }) {
                throw CommandFailure(
                    .write, "The body is no text and could upset the terminal. Use -o FILE, or -o - to write it anyway."
                )
            }
            isFirst = false
            try output.write(piece)
        }
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
