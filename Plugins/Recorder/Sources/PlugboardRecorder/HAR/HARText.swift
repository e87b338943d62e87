import PlugboardKit

/// Values of HAR 1.2 that are used in several places.
enum HARText {
    /// A date with milliseconds (RFC 3339).
    static func date(_ sinceEpoch: Duration) -> String {
        let sinceEpoch = max(sinceEpoch, .zero)
        let (seconds, attoseconds) = sinceEpoch.components
        let milliseconds = "\(attoseconds / 1_000_000_000_000_000)"
        let zeros = String(repeating: "0", count: max(3 - milliseconds.utf8.count, 0))
        return HTTPDate(seconds: seconds).internetDescription.dropLast() + ".\(zeros)\(milliseconds)Z"
    }

    static func version(_ version: String?) -> String {
        switch version {
        case nil: ""
        case "2": "h2"
        case "3": "h3"
        case .some(let number): "HTTP/\(number)"
        }
    }

    static func milliseconds(_ time: Duration) -> JSONValue {
        .number(JSONNumber((time / .microseconds(1)).rounded() / 1000) ?? 0)
    }

    static func headers(_ fields: [(name: String, value: String)]) -> JSONValue {
        .array(fields.map { ["name": .string($0.name), "value": .string($0.value)] })
    }

    /// The parameters of a URL's query, still percent-encoded.
    static func query(of url: String) -> JSONValue {
        guard let mark = url.firstIndex(of: "?") else { return [] }
        let parameters = url[mark...].dropFirst().split(separator: "&")
        return .array(
            parameters.map { parameter in
                let equals = parameter.firstIndex(of: "=") ?? parameter.endIndex
                return [
                    "name": .string(String(parameter[..<equals])),
                    "value": .string(String(parameter[equals...].dropFirst())),
                ]
            })
    }

    /// Adds the text of a body, or its bytes in Base64 if they are not text, and the number of missing bytes. All bytes
    /// of a body whose secrets cannot be found are missing.
    ///
    /// - Parameter encoding: The member that says `base64`; only a response has one in HAR.
    static func addContent(
        _ body: BodyCapture, _ fields: Fields, to object: inout JSONObject, encoding: String, _ redaction: Redaction
    ) {
        let type = MediaTypePattern.essence(of: fields[.contentType] ?? "")
        guard let bytes = redaction.body(body.bytes, type: type, coding: fields["Content-Encoding"]) else {
            object["_cut"] = .number(JSONNumber(body.count))
            return
        }
        if let text = text(bytes, isCut: body.isCut) {
            object["text"] = .string(text)
        } else {
            object["text"] = .string(Base64.encode(bytes))
            object[encoding] = "base64"
        }
        if body.isCut { object["_cut"] = .number(JSONNumber(body.count - body.bytes.count)) }
        if !body.isWhole { object["_isWhole"] = false }
    }

    /// Nil for bytes that are not UTF-8, or that contain NUL. A character that was cut is omitted.
    private static func text(_ bytes: [UInt8], isCut: Bool) -> String? {
        if bytes.contains(0) { return nil }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        guard isCut else { return nil }
        for count in 1...min(3, max(bytes.count, 1)) {
            if let text = String(validating: bytes.dropLast(count), as: UTF8.self) { return text }
        }
        return nil
    }
}
