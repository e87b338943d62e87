import PlugboardKit
import PlugboardLoggingOptions
import PlugboardObserving

/// The texts of the formats, without secrets.
struct LogText: Sendable {
    let showsQueries: Bool
    let redaction: Redaction

    /// Without user and fragment; and without the values of the query, or of its secret parameters.
    func url(_ url: String) -> String { showsQueries ? redaction.url(url) : Printable.url(url) }

    // MARK: full

    /// The body in indented lines; nil for none.
    func body(_ title: String, _ body: BodyCapture?, _ fields: Fields) -> String? {
        guard let body, body.count > 0 else { return nil }
        let title = "\(title) body, \(body.count) B\(body.isWhole ? "" : " so far")"
        guard case .text(let text) = ShownBody(body, fields, redaction) else { return "\(title), not shown" }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { "\n    \(Printable.text(String($0)))" }
        return "\(title):\(lines.joined())\(body.isCut ? "\n    …" : "")"
    }

    // MARK: curl

    func curl(_ record: LogRecord) -> String {
        guard let request = record.request else { return "" }
        var (body, isMissing) = (nil as String?, record.hasBody)
        if let capture = record.requestBody, capture.isWhole, !capture.isCut,
            case .text(let text) = ShownBody(capture, request.fields, redaction)
        {
            (body, isMissing) = (text, false)
        }
        let line = CurlLine(
            request.method, url(request.url),
            fields: redaction.fields(request.fields).filter { !isFraming($0.name) }.map { ($0.name, value($0)) },
            body: body)
        return line.text + (isMissing ? "  # its body is not shown" : "")
    }

    private func isFraming(_ name: String) -> Bool {
        ["content-length", "transfer-encoding"].contains(name.lowercased())
    }

    // MARK: json

    func json(_ summary: ExchangeSummary, _ record: LogRecord, at time: Duration, _ level: LogLevel, label: String?)
        -> String
    {
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
        object["request"] = record.request.map { message($0.fields, record.requestBody) }
        object["response"] = record.responseFields.map { message($0, record.responseBody) }
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

    private func message(_ fields: Fields, _ body: BodyCapture?) -> JSONValue {
        let shown = redaction.fields(fields).map { JSONValue.array([.string($0.name), .string(value($0))]) }
        var object: JSONObject = ["fields": .array(shown)]
        guard let body, body.count > 0 else { return .object(object) }
        object["size"] = .number(JSONNumber(body.count))
        if case .text(let text) = ShownBody(body, fields, redaction) { object["body"] = .string(text) }
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
