import PlugboardMessages

/// A form with files, `multipart/form-data` (RFC 7578).
///
///     let form = MultipartForm([.text("title", "Lake"), try .file("image", "lake.jpg")])
///     let response = try await kernel.send(Request(.post, url, multipart: form))
///
/// Files and streams are read while they are sent and are never held in memory as a whole. The length is known if the
/// length of each part is known, and the form can be sent again if each part can.
public struct MultipartForm: Sendable {
    /// The separator of the parts, without its hyphens.
    public let boundary: String
    /// The parts in the order in which they are sent.
    public var parts: [Part]

    /// Creates a form of these parts.
    ///
    /// - Parameter boundary: 1 to 70 characters of RFC 2046 §5.1.1, which must not occur in a part. By default 128
    ///   random bits, which practically never occur in a part.
    public init(_ parts: [Part] = [], boundary: String = MultipartForm.randomBoundary()) {
        precondition(
            MultipartForm.isBoundary(boundary),
            "A boundary has 1 to 70 letters, digits, spaces or '()+_,-./:=?, and no space at its end (RFC 2046 §5.1.1)."
        )
        self.boundary = boundary
        self.parts = parts
    }

    /// Adds a part at the end.
    public mutating func append(_ part: Part) { parts.append(part) }

    /// The value of `Content-Type`.
    public var contentType: String {
        "multipart/form-data; boundary=\(isToken(boundary) ? boundary : "\"\(boundary)\"")"
    }

    /// The whole form as a body.
    ///
    /// Throws `request.parameter` if the content type of a part is not a media type.
    public func body() throws(PlugboardError) -> Body {
        var bodies: [Body] = []
        var text: [UInt8] = []
        for part in parts {
            text += "--\(boundary)\r\n".utf8
            text += try part.head().utf8
            switch part.content {
            // One piece costs less than many small ones.
            case .bytes(let bytes) where bytes.count <= 16 << 10: bytes.withUnsafeBytes { text += $0 }
            case .bytes(let bytes):
                bodies += [.bytes(text), .bytes(bytes)]
                text = []
            case .body(let body):
                // A form may contain a part twice, and may be sent twice.
                bodies += [.bytes(text), Body(body.source.copy() ?? body.source)]
                text = []
            }
            text += "\r\n".utf8
        }
        text += "--\(boundary)--\r\n".utf8
        return .joined(bodies + [.bytes(text)])
    }

    /// A boundary of 128 random bits.
    public static func randomBoundary() -> String {
        "plugboard-\(String(UInt64.random(in: .min ... .max), radix: 36))"
            + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// Whether a text is a valid boundary (RFC 2046 §5.1.1).
    private static func isBoundary(_ text: String) -> Bool {
        (1...70).contains(text.utf8.count) && text.utf8.last != 0x20
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "'()+_,-./:=? ".utf8.contains(byte)
                }
            }
    }
}

extension Request {
    /// A request with a form with files: `Request(.post, url, multipart: form)`.
    ///
    /// Throws `request.parameter` if a parameter of the query, or the content type of a part, cannot be written.
    public init(
        _ method: Method, _ url: String, query: Parameters = Parameters(), fields: Fields = Fields(),
        multipart form: MultipartForm
    ) throws(PlugboardError) {
        try self.init(method, url, query: query, fields: fields)
        setBody(try form.body(), type: form.contentType)
    }
}
