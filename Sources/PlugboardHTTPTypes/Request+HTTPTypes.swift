import HTTPTypes
import Messages

// The ecosystem's message types, for programs that have them. The trait is off in core-only builds, for the package
// brings 1.7 MB of the standard library's string processing into a static program.

extension Request {
    /// Nil if the head lacks a scheme, an authority or a path, without which there is nothing to send to.
    public init?(_ head: HTTPRequest, body: Body? = nil) {
        guard let scheme = head.scheme, let authority = head.authority, let path = head.path else { return nil }
        self.init(
            Method(head.method.rawValue), "\(scheme)://\(authority)\(path)", fields: Fields(head.headerFields),
            body: body)
    }
}

extension ResponseHead {
    /// The same head; fields whose names are no tokens are left out, for `HTTPFields` cannot hold them.
    public var httpResponse: HTTPResponse {
        HTTPResponse(
            status: HTTPResponse.Status(code: min(max(status, 0), 999), reasonPhrase: reason),
            headerFields: fields.httpFields)
    }
}

extension Response {
    /// The head in the ecosystem's type.
    public var httpResponse: HTTPResponse { head.httpResponse }
}

extension Fields {
    /// In order, with duplicates.
    public init(_ fields: HTTPFields) {
        self.init()
        for field in fields {
            withUTF8(field.name.rawName) { name in
                field.withUnsafeBytesOfValue { append(name, UnsafeRawBufferPointer($0)) }
            }
        }
    }

    /// In order, with duplicates; fields whose names are no tokens are left out.
    public var httpFields: HTTPFields {
        var fields = HTTPFields()
        for field in self {
            guard let name = HTTPField.Name(field.name) else { continue }
            fields.append(HTTPField(name: name, value: field.value))
        }
        return fields
    }
}

extension FieldName {
    public init(_ name: HTTPField.Name) { self.init(name.rawName) }
}

extension Method {
    public init(_ method: HTTPRequest.Method) { self.init(method.rawValue) }
}
