import PlugboardKit
import PlugboardObserving

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
    var waiting: [String] = []

    init(began: Duration, _ request: (method: String, url: String, fields: Fields)?) {
        (self.began, self.request) = (began, request)
    }
}
