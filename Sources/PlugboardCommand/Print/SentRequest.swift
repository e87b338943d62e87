import Plugboard
import PlugboardKit
import Synchronization

/// The command's plugin for `--print`, `--offline` and `--verbose`: keeps the head of the request's last attempt, with
/// the fields that other plugins have added, and which fields are secret.
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

    /// The last head, for the command sends one request of its own at a time; and the names of secret fields of all.
    private static let state = Mutex<(last: (method: Method, url: String, fields: Fields)?, secrets: Set<FieldName>)>(
        (nil, []))

    static var secretNames: Set<FieldName> { state.withLock { $0.secrets } }

    static func add(to configuration: inout Configuration, _ catalog: inout Catalog) {
        guard catalog.descriptor(manifest.id) == nil else { return }
        catalog = catalog.adding([descriptor])
        configuration.plugins.append(PluginEntry(manifest.id))
    }

    init(settings: NoSettings, host: PluginHost) {}

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        let head = (exchange.request.method, exchange.request.url, exchange.request.fields)
        // Plugins' own requests are not printed.
        let isOwn = exchange.sender == nil
        SentRequest.state.withLock { state in
            if isOwn { state.last = head }
            state.secrets.formUnion(head.2.lazy.filter(\.isSecret).map { FieldName($0.name) })
        }
        return .next
    }

    /// The head of the last attempt, with the fields that libcurl adds; nil if there was none.
    ///
    /// - Parameter request: The request, for its body and its options.
    static func head(of request: Request) -> Head? {
        guard let head = state.withLock({ $0.last }) else { return nil }
        let parts = URLParts(head.url)
        var fields = Fields()
        if !head.fields.contains("Host"), let host = parts?.hostAndPort { fields.append("Host", String(host)) }
        for field in head.fields {
            fields.append(FieldName(field.name), field.value)
            if field.isSecret { fields.markSecret(FieldName(field.name)) }
        }
        if let body = request.body, !fields.contains(.contentLength), !fields.contains(.transferEncoding) {
            if let length = body.length {
                fields.append(.contentLength, "\(length)")
            } else {
                fields.append(.transferEncoding, "chunked")
            }
        }
        // RFC 9110 §8.6: of methods that have a meaning for content.
        if request.body == nil, [.post, .put, .patch].contains(head.method), !fields.contains(.contentLength) {
            fields.append(.contentLength, "0")
        }
        let path = parts.map { "\($0.path.isEmpty ? "/" : $0.path)\($0.query.map { "?\($0)" } ?? "")" } ?? head.url
        let version = request.options.httpVersion == .http10 ? "1.0" : "1.1"
        return Head(line: "\(head.method.name) \(request.options.target ?? path) HTTP/\(version)", fields: fields)
    }
}
