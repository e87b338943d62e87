import PlugboardKit
import PlugboardObserving

/// Values of HAR 1.2 that are used in several places.
enum HARText {
    /// A date with milliseconds (RFC 3339).
    static func date(_ sinceEpoch: Duration) -> String { sinceEpoch.timestamp }

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
        switch ShownBody(body, fields, redaction) {
        case .hidden:
            object["_cut"] = .number(JSONNumber(body.count))
            return
        case .text(let text): object["text"] = .string(text)
        case .bytes(let bytes):
            object["text"] = .string(Base64.encode(bytes))
            object[encoding] = "base64"
        }
        if body.isCut { object["_cut"] = .number(JSONNumber(body.count - body.bytes.count)) }
        if !body.isWhole { object["_isWhole"] = false }
    }
}
