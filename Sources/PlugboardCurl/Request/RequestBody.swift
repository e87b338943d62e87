import PlugboardTransport

/// How a request's body is framed, according to its source, fields and method (RFC 9112 §6, RFC 9110 §8.6).
struct RequestBody {
    let source: (any BodySource)?
    /// Nil uses the chunked coding in HTTP/1.1.
    let length: Int?
    /// Whether there is no body, but the method defines a meaning for one: `Content-Length: 0` is sent, unless the
    /// request has the field with an empty value.
    let saysNothing: Bool
    /// Whether the body waits until the server wants it (`Expect: 100-continue`, RFC 9110 §10.1.1).
    let waitsForContinue: Bool

    /// Throws an error if method, fields or body cannot be sent.
    init(_ attempt: borrowing AttemptRequest) throws(PlugboardError) {
        guard attempt.method.isValid else {
            throw PlugboardError(.requestOption, "The request's method is not a token. Use letters, as in GET.")
        }
        var announced: Int?
        var isChunked = false
        var omitsLength = false
        var expects = false
        for index in 0..<attempt.fields.count {
            let complaint = attempt.fields.withField(index) { name, value -> PlugboardError? in
                if let complaint = RequestBody.complaint(name, value) { return complaint }
                switch KnownField(name) {
                case .contentLength where FieldList.isBlank(value): omitsLength = true
                case .contentLength:
                    guard let number = HeadReader.number(value), announced == nil || announced == number else {
                        return RequestBody.error(
                            "The request's Content-Length is not one number. Omit it; the transport adds it.")
                    }
                    announced = number
                case .transferEncoding:
                    guard KnownField.equals(value, "chunked") else {
                        return RequestBody.error(
                            "The request's Transfer-Encoding is not chunked, the only supported one.")
                    }
                    isChunked = true
                case .expect: expects = expects || KnownField.contains(value, "100-continue")
                default: break
                }
                return nil
            }
            if let complaint { throw complaint }
        }
        source = attempt.body
        waitsForContinue = expects && source != nil
        if let source {
            if attempt.method == .head {
                throw PlugboardError(
                    .requestOption, "A HEAD request cannot have a body. Remove it, or use another method.")
            }
            if let announced, let length = source.length, announced != length {
                throw RequestBody.error(
                    "The request's Content-Length is \(announced), but its body has \(length) bytes.")
            }
            length = isChunked ? nil : source.length ?? announced
            if length == nil, attempt.storedOptions.options.httpVersion == .http10 {
                throw PlugboardError(
                    .requestOption, "HTTP/1.0 has no body of unknown length. Send it from memory or from a file.")
            }
            saysNothing = false
        } else {
            if isChunked || announced ?? 0 > 0 {
                throw RequestBody.error("The request's fields announce a body, but there is none.")
            }
            length = nil
            let isMeant = attempt.method == .post || attempt.method == .put || attempt.method == .patch
            saysNothing = announced != nil || isMeant && !omitsLength
        }
    }

    /// The error for trailer fields that cannot be sent, or nil.
    static func complaint(in trailers: Fields) -> PlugboardError? {
        for index in 0..<trailers.count {
            if let complaint = trailers.withField(index, { complaint($0, $1) }) { return complaint }
        }
        return nil
    }

    private static func complaint(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> PlugboardError? {
        guard Token.isToken(name) else {
            return error("A field of the request has a name that is not a token. Use letters, digits and hyphens.")
        }
        guard !value.hasLineBreakOrNUL else {
            let name = String(decoding: name, as: UTF8.self)
            return error("The request's field \(name) has a line break or NUL in its value.")
        }
        return nil
    }

    private static func error(_ reason: String) -> PlugboardError { PlugboardError(.requestField, reason) }
}

/// Request fields that need special treatment in the transport.
enum KnownField {
    case accept, contentLength, expect, proxyAuthorization, transferEncoding

    init?(_ name: UnsafeRawBufferPointer) {
        switch name.count {
        case 6 where KnownField.equals(name, "accept"): self = .accept
        case 6 where KnownField.equals(name, "expect"): self = .expect
        case 14 where KnownField.equals(name, "content-length"): self = .contentLength
        case 17 where KnownField.equals(name, "transfer-encoding"): self = .transferEncoding
        case 19 where KnownField.equals(name, "proxy-authorization"): self = .proxyAuthorization
        default: return nil
        }
    }

    /// Whether it determines the end of the message.
    var framesMessage: Bool { self == .contentLength || self == .transferEncoding }

    static func equals(_ text: UnsafeRawBufferPointer, _ lowercase: StaticString) -> Bool {
        guard text.count == lowercase.utf8CodeUnitCount else { return false }
        for index in 0..<text.count where lowercased(text[index]) != lowercase.utf8Start[index] { return false }
        return true
    }

    static func contains(_ text: UnsafeRawBufferPointer, _ lowercase: StaticString) -> Bool {
        let count = lowercase.utf8CodeUnitCount
        guard text.count >= count else { return false }
        return (0...(text.count - count)).contains { start in
            equals(UnsafeRawBufferPointer(rebasing: text[start..<start + count]), lowercase)
        }
    }
}
