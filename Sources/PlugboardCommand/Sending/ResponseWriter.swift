import Plugboard
import PlugboardKit

/// Writes requests and responses to a file or to standard output.
///
/// A file or a pipe gets the bytes unchanged. A terminal gets JSON in a readable layout, no secrets of the head, and no
/// characters that control the terminal.
struct ResponseWriter {
    private let file: ResponseFile
    /// The layout of bodies in JSON.
    private let layout: JSONLayout?
    private let showsSecrets: Bool

    init(_ file: ResponseFile, layout: JSONLayout? = nil, showingSecrets: Bool) {
        (self.file, self.layout, showsSecrets) = (file, layout, showingSecrets)
    }

    func write(_ heads: [ResponseHead]) throws(CommandFailure) {
        for head in heads {
            let bytes =
                file.isForReaders
                ? Bytes(text(ResponseWriter.title(of: head), head.fields)) : ResponseWriter.bytes(of: head)
            try file.opened().write(bytes)
        }
    }

    /// Writes the body.
    ///
    /// - Parameter limit: How many bytes it may have.
    func write(_ response: Response, limit: Int? = nil) async throws {
        try await writer(for: response[.contentType]).write(response.body, limit: limit)
    }

    /// Writes a request as HTTP/1.1 has it, without the values of secret fields.
    ///
    /// - Parameters:
    ///   - head: Nil leaves it out.
    ///   - body: Nil leaves it out.
    func write(_ head: SentRequest.Head?, _ body: Bytes?, of type: String?) throws(CommandFailure) {
        if let head { try file.opened().write(Bytes(text(head.line, head.fields, showingQuery: true))) }
        if let body, body.count > 0 {
            try writer(for: type).write(body)
            // The response must not continue the last line.
            try file.opened().write(Bytes("\n"))
        }
    }

    private func writer(for type: String?) throws(CommandFailure) -> BodyWriter {
        BodyWriter(
            try file.opened(), isForReaders: file.isForReaders, layout: ResponseWriter.isJSON(type) ? layout : nil)
    }

    private static func title(of head: ResponseHead) -> String {
        "HTTP/\(head.version.rawValue) \(head.status) \(head.reason)"
    }

    /// A head without control characters, and without secrets unless they are shown.
    private func text(_ title: String, _ fields: Fields, showingQuery: Bool = false) -> String {
        let lines = fields.map { field in
            let value =
                showsSecrets ? Printable.text(field.value) : Printable.value(of: field, showingQuery: showingQuery)
            return "\(Printable.text(field.name)): \(value)\n"
        }
        return "\(Printable.text(title))\n\(lines.joined())\n"
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
