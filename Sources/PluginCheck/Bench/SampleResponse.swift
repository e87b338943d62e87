import PlugboardKit

/// A response of the plugin's own server, for plugins that act only on certain responses.
package struct SampleResponse: Sendable {
    let status: Int
    let fields: Fields
    let body: Bytes

    /// Reads a response as `plugboard get URL -i` writes it: a status line, header fields, an empty line, the body.
    ///
    /// Lines end with LF or CRLF. Throws `check.sample` with the line that cannot be read.
    package init(_ bytes: [UInt8]) throws(PlugboardError) {
        let message = try SampleMessage(bytes, of: "response")
        let words = message.words
        guard words.count >= 2, words[0].hasPrefix("HTTP/"), let status = Int(words[1]), (200...999).contains(status)
        else {
            throw message.error(1, "it must be a status line like HTTP/1.1 200 OK, with a status from 200")
        }
        (self.status, fields, body) = (status, message.fields, message.body)
    }

    /// The outcome of an attempt that gets this response.
    var outcome: Plan.Outcome { .head(status, fields, PlannedBody(body)) }
}

/// A request of the plugin's own users, for plugins that act only on certain requests.
package struct SampleRequest: Sendable {
    let method: Method
    let url: String
    let fields: Fields
    let body: Bytes

    /// Reads a request: a line like `POST https://api.example/orders`, header fields, an empty line, the body.
    ///
    /// The first line may end with ` HTTP/1.1`. Lines end with LF or CRLF. Throws `check.sample` with the line that
    /// cannot be read.
    package init(_ bytes: [UInt8]) throws(PlugboardError) {
        let message = try SampleMessage(bytes, of: "request")
        let words = message.words
        guard (2...3).contains(words.count), Method(words[0]).isValid, Origin(url: words[1]) != nil else {
            throw message.error(1, "it must be a method and an absolute URL, like POST https://api.example/orders")
        }
        (method, url, fields, body) = (Method(words[0]), words[1], message.fields, message.body)
    }
}

/// A first line, header fields, an empty line and a body.
private struct SampleMessage {
    /// The first line.
    let words: [String]
    let fields: Fields
    let body: Bytes
    private let kind: String

    init(_ bytes: [UInt8], of kind: String) throws(PlugboardError) {
        self.kind = kind
        var rest = bytes[...]
        var number = 0
        func line() throws(PlugboardError) -> String {
            number += 1
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
                throw SampleMessage.error(kind, number, "the head does not end with an empty line")
            }
            defer { rest = rest[(end + 1)...] }
            let text = rest[..<end]
            return Fields.text(Array(text.last == UInt8(ascii: "\r") ? text.dropLast() : text))
        }
        words = try line().split(separator: " ", maxSplits: 2).map(String.init)
        var fields = Fields()
        while !words.isEmpty {
            let text = try line()
            if text.isEmpty { break }
            guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else {
                throw SampleMessage.error(kind, number, "it must be a header field, Name: value")
            }
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            fields.append(FieldName(String(text[..<colon])), String(value))
        }
        self.fields = fields
        body = Bytes(Array(rest))
    }

    func error(_ line: Int, _ reason: String) -> PlugboardError { SampleMessage.error(kind, line, reason) }

    private static func error(_ kind: String, _ line: Int, _ reason: String) -> PlugboardError {
        PlugboardError(.checkSample, "Line \(line) of the sample \(kind) cannot be used: \(reason).")
    }
}
