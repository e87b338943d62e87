import Plugboard
import PlugboardKit
import Synchronization

/// The command's plugin for `--print` and `--offline`: keeps the head of the request's last attempt, with the fields
/// that other plugins have added.
struct SentRequest: Plugin {
    // Innermost, so that it sees each attempt.
    static let manifest = Manifest(
        id: "plugboard-print", version: Program.version, documentation: "Keeps the head that is sent.",
        priority: 999, hooks: [.request])

    /// A head as HTTP/1.1 writes it.
    struct Head: Sendable {
        let line: String
        let fields: Fields
    }

    /// The last head. The command sends one request of its own at a time.
    private static let last = Mutex<(method: Method, url: String, fields: Fields)?>(nil)

    init(settings: NoSettings, host: PluginHost) {}

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        // Plugins' own requests are not asked for.
        if exchange.sender == nil {
            let head = exchange.request
            SentRequest.last.withLock { $0 = (head.method, head.url, head.fields) }
        }
        return .next
    }

    /// The head of the last attempt, with the fields that libcurl adds; nil if there was none.
    ///
    /// - Parameter body: That of the request.
    static func head(sending body: Body?) -> Head? {
        guard let head = last.withLock({ $0 }) else { return nil }
        let parts = URLParts(head.url)
        var fields = Fields()
        if !head.fields.contains("Host"), let host = parts?.hostAndPort { fields.append("Host", String(host)) }
        for field in head.fields {
            fields.append(FieldName(field.name), field.value)
            if field.isSecret { fields.markSecret(FieldName(field.name)) }
        }
        if let body, !fields.contains(.contentLength), !fields.contains(.transferEncoding) {
            if let length = body.length {
                fields.append(.contentLength, "\(length)")
            } else {
                fields.append(.transferEncoding, "chunked")
            }
        }
        // RFC 9110 §8.6: of methods that have a meaning for content.
        if body == nil, [.post, .put, .patch].contains(head.method), !fields.contains(.contentLength) {
            fields.append(.contentLength, "0")
        }
        let path = parts.map { "\($0.path.isEmpty ? "/" : $0.path)\($0.query.map { "?\($0)" } ?? "")" } ?? head.url
        return Head(line: "\(head.method.name) \(path) HTTP/1.1", fields: fields)
    }
}
