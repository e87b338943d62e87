/// A response of a scripted server. Text is written in UTF-8.
package struct ServerResponse: Sendable {
    package typealias Field = (name: String, value: String)

    package var status: Int
    package var fields: [Field]
    package var body: [UInt8]

    package init(status: Int = 200, fields: [Field] = [], body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    package init(status: Int = 200, fields: [Field] = [], body: String = "") {
        self.init(status: status, fields: fields, body: Array(body.utf8))
    }

    /// The status line and the fields, with a Content-Length if the fields define no framing (RFC 9112 §6).
    package var head: String {
        var head = "HTTP/1.1 \(status) \(ServerResponse.reason(status))\r\n"
        for field in fields { head += "\(field.name): \(field.value)\r\n" }
        let isFramed = fields.contains { ["content-length", "transfer-encoding"].contains($0.name.lowercased()) }
        let hasContent = status >= 200 && status != 204 && status != 304
        if hasContent && !isFramed { head += "Content-Length: \(body.count)\r\n" }
        return head + "\r\n"
    }

    /// The whole message; without its body for a HEAD request or a status that allows none.
    package func bytes(for method: String = "GET") -> [UInt8] {
        let isBodiless = method == "HEAD" || status < 200 || status == 204 || status == 304
        return Array(head.utf8) + (isBodiless ? [] : body)
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 100: "Continue"
        case 103: "Early Hints"
        case 200: "OK"
        case 201: "Created"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 401: "Unauthorized"
        case 404: "Not Found"
        case 416: "Range Not Satisfiable"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        default: "Scripted"
        }
    }
}

extension ServerResponse: CustomStringConvertible {
    /// Does not contain the bytes of the body, because reports of tests contain it.
    package var description: String { "\(status) with \(body.count) bytes" }
}
