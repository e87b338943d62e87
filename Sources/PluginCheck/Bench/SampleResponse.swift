import PlugboardKit

/// A response of the plugin's own server, for plugins that act on certain responses only.
public struct SampleResponse: Sendable {
    let status: Int
    let fields: Fields
    let body: Bytes

    /// Reads a response as `plugboard get URL -i` writes it: a status line, header fields, an empty line, the body.
    ///
    /// Lines end with LF or CRLF. Throws `check.sample` with the line that cannot be read.
    public init(_ bytes: [UInt8]) throws(PlugboardError) {
        var rest = bytes[...]
        var number = 0
        func line() throws(PlugboardError) -> String {
            number += 1
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
                throw SampleResponse.error(number, "the head does not end with an empty line")
            }
            defer { rest = rest[(end + 1)...] }
            let text = rest[..<end]
            return Fields.text(Array(text.last == UInt8(ascii: "\r") ? text.dropLast() : text))
        }
        let words = try line().split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/"), let status = Int(words[1]), (200...999).contains(status)
        else { throw SampleResponse.error(1, "it must be a status line like HTTP/1.1 200 OK, with a status from 200") }
        var fields = Fields()
        while true {
            let text = try line()
            if text.isEmpty { break }
            guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else {
                throw SampleResponse.error(number, "it must be a header field, Name: value")
            }
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            fields.append(FieldName(String(text[..<colon])), String(value))
        }
        self.status = status
        self.fields = fields
        body = Bytes(Array(rest))
    }

    /// The outcome of an attempt that gets this response.
    var outcome: Plan.Outcome { .head(status, fields, PlannedBody(body)) }

    private static func error(_ line: Int, _ reason: String) -> PlugboardError {
        PlugboardError(.checkSample, "Line \(line) of the sample response cannot be used: \(reason).")
    }
}
