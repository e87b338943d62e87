import PlugboardKit
import PlugboardLoggingOptions
import PlugboardObserving

/// A message as a line shows it, of which the line is made on another thread.
struct LoggedMessage: Sendable {
    let fields: Fields
    /// The number of the body's bytes so far; 0 for no body.
    let length: Int
    /// Whether the body was read to its end.
    let isWhole: Bool
    /// The beginning of the body; nil if the line cannot show it.
    let body: BodyCapture?

    /// - Parameters:
    ///   - body: Copied, because the request may still be sent when its exchange has ended.
    ///   - needsAll: Whether the line shows only bodies that are captured to their end.
    init(_ fields: Fields, _ body: BodyCapture?, needsAll: Bool) {
        self.fields = fields
        (length, isWhole) = (body?.count ?? 0, body?.isWhole ?? false)
        let isShown = body.map { (!needsAll || $0.isWhole && !$0.isCut) && ShownBody.mayBeText($0, fields) } ?? false
        self.body = isShown ? body.map { BodyCapture(copying: $0) } : nil
    }

    /// The approximate memory in bytes.
    var size: Int { fields.memory + (body?.bytes.count ?? 0) }
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

    func shownRequest(_ format: LoggingSettings.Format) -> LoggedMessage? {
        request.map { LoggedMessage($0.fields, requestBody, needsAll: format == .curl) }
    }
    var shownResponse: LoggedMessage? { responseFields.map { LoggedMessage($0, responseBody, needsAll: false) } }
}
