import PlugboardKit
import PlugboardObserving

/// A message as a line shows it, of which the line is made on another thread.
struct LoggedMessage: Sendable {
    let fields: Fields
    let body: BodyCapture?

    /// - Parameter body: Copied, because the request may still be sent when its exchange has ended.
    init(_ fields: Fields, _ body: BodyCapture?) {
        self.fields = fields
        self.body = body.map { BodyCapture(copying: $0) }
    }

    /// The approximate memory in bytes.
    var size: Int { fields.byteCount + 32 * fields.count + (body?.bytes.count ?? 0) }
}

/// The facts about an exchange so far. Used by its hooks and events only, which never overlap.
final class LogRecord {
    let began: Duration
    /// The request as it came here; nil where it is not shown.
    let request: (method: String, url: String, fields: Fields)?
    var requestBody: BodyCapture?
    /// Whether the request has a body.
    var hasBody = false
    var status: Int?
    var responseFields: Fields?
    var responseBody: BodyCapture?
    var received: Int?
    var asker: String?
    var responder: String?
    var isOfSubRequest = false
    /// Texts that wait for the end of the exchange, which decides whether it is logged.
    var waiting: [LogText.Deferred] = []

    init(began: Duration, _ request: (method: String, url: String, fields: Fields)?) {
        (self.began, self.request) = (began, request)
    }

    var shownRequest: LoggedMessage? { request.map { LoggedMessage($0.fields, requestBody) } }
    var shownResponse: LoggedMessage? { responseFields.map { LoggedMessage($0, responseBody) } }
}
