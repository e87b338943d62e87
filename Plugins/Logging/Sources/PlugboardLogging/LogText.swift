import PlugboardKit
import PlugboardLoggingOptions
import PlugboardObserving

/// The texts of the formats, without secrets.
struct LogText: Sendable {
    /// A text that is made when it is written, off the loop if it goes to a file.
    struct Deferred: Sendable {
        /// The approximate memory of what it is made of, in bytes.
        let size: Int
        let make: @Sendable () -> String
    }

    let showsQueries: Bool
    let redaction: Redaction

    /// The URL without user, fragment and the values of its query, or only of its secret parameters.
    func url(_ url: String) -> String { showsQueries ? redaction.url(url) : Printable.url(url) }

    // MARK: full

    /// The body in indented lines.
    func body(_ title: String, _ message: LoggedMessage) -> String {
        let title = "\(title) body, \(message.length) B\(message.isWhole ? "" : " so far")"
        guard let body = message.body, case .text(let text) = ShownBody(body, message.fields, redaction) else {
            return "\(title), not shown"
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { "\n    \(Printable.text(String($0)))" }
        return "\(title):\(lines.joined())\(body.isCut ? "\n    …" : "")"
    }

    // MARK: curl

    func curl(_ method: String, _ target: String, _ request: LoggedMessage, hasBody: Bool) -> String {
        var (body, isMissing) = (nil as String?, hasBody)
        if let capture = request.body, case .text(let text) = ShownBody(capture, request.fields, redaction) {
            (body, isMissing) = (text, false)
        }
        let line = CurlLine(
            method, url(target),
            fields: redaction.fields(request.fields).filter { !isFraming($0.name) }.map { ($0.name, value($0)) },
            body: body)
        return line.text + (isMissing ? "  # its body is not shown" : "")
    }

    private func isFraming(_ name: String) -> Bool {
        ["content-length", "transfer-encoding"].contains(name.lowercased())
    }

    // MARK: json

    func json(
        _ summary: ExchangeSummary, _ request: LoggedMessage?, _ response: LoggedMessage?, at time: Duration,
        _ level: LogLevel, label: String?
    ) -> String {
        var object: JSONObject = [
            "time": .string(time.timestamp), "level": .string("\(level)"), "method": .string(summary.method),
            "url": .string(url(summary.url)), "milliseconds": milliseconds(summary.took),
            "attempts": .number(JSONNumber(summary.attempts)), "outcome": .string("\(summary.outcome)"),
        ]
        if let label { object["label"] = .string(label) }
        if let status = summary.status { object["status"] = .number(JSONNumber(status)) }
        if let received = summary.received { object["received"] = .number(JSONNumber(received)) }
        if let failure = summary.failure {
            object["error"] = .string(failure.code.name)
            object["reason"] = .string(failure.reason)
        }
        if let asker = summary.asker { object["by"] = .string(asker) }
        if let responder = summary.responder { object["respondedBy"] = .string(responder) }
        object["request"] = request.map { message($0) }
        object["response"] = response.map { message($0) }
        let text: String = JSONWriter.write(.object(object))
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        // What could control a terminal and is no control character of JSON.
        return text.unicodeScalars.map { scalar in
            scalar.isASCII || Printable.text(String(scalar)) == String(scalar)
                ? String(scalar) : String(scalar).utf16.map { "\\u\(hexadecimal($0))" }.joined()
        }.joined()
    }

    private func hexadecimal(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }

    private func message(_ message: LoggedMessage) -> JSONValue {
        let shown = redaction.fields(message.fields).map { JSONValue.array([.string($0.name), .string(value($0))]) }
        var object: JSONObject = ["fields": .array(shown)]
        guard message.length > 0 else { return .object(object) }
        object["size"] = .number(JSONNumber(message.length))
        if let body = message.body, case .text(let text) = ShownBody(body, message.fields, redaction) {
            object["body"] = .string(text)
        }
        return .object(object)
    }

    private func value(_ field: (name: String, value: String)) -> String {
        let holdsURL = [.location, .contentLocation, "Referer"].contains(FieldName(field.name))
        return holdsURL ? url(field.value) : field.value
    }

    private func milliseconds(_ duration: Duration) -> JSONValue {
        .number(JSONNumber((duration / .milliseconds(1) * 1000).rounded() / 1000) ?? 0)
    }
}
