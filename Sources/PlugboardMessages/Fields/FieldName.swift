/// The name of a header or trailer field (RFC 9110 §5.1). Names are compared without regard to ASCII case, and sent as
/// they are written.
///
/// The constants are the names that the kernel and the bundled plugins use; add others in an extension:
/// `extension FieldName { static let trace = FieldName("X-Trace") }`.
public struct FieldName: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name as it is written.
    public let text: String

    /// A name, which is not checked. A request with a name that is not a token cannot be sent.
    public init(_ text: String) { self.text = text }
    /// The name of a literal, as in `fields["Accept"]`.
    public init(stringLiteral text: String) { self.text = text }

    /// The name as it is written.
    public var description: String { text }

    /// Compares without regard to ASCII case.
    public static func == (left: FieldName, right: FieldName) -> Bool {
        left.text.utf8.count == right.text.utf8.count
            && zip(left.text.utf8, right.text.utf8).allSatisfy { lowercased($0) == lowercased($1) }
    }

    /// Hashes the name in ASCII lower case.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(lowercased(byte)) }
    }

    /// RFC 9110 §12.5.1.
    public static let accept: FieldName = "Accept"
    /// RFC 9110 §12.5.3.
    public static let acceptEncoding: FieldName = "Accept-Encoding"
    /// RFC 9110 §14.3.
    public static let acceptRanges: FieldName = "Accept-Ranges"
    /// RFC 9111 §5.1.
    public static let age: FieldName = "Age"
    /// RFC 9110 §11.6.2. Always secret.
    public static let authorization: FieldName = "Authorization"
    /// RFC 9111 §5.2.
    public static let cacheControl: FieldName = "Cache-Control"
    /// RFC 9110 §7.6.1.
    public static let connection: FieldName = "Connection"
    /// RFC 6266.
    public static let contentDisposition: FieldName = "Content-Disposition"
    /// RFC 9110 §8.4.
    public static let contentEncoding: FieldName = "Content-Encoding"
    /// RFC 9110 §8.5.
    public static let contentLanguage: FieldName = "Content-Language"
    /// RFC 9110 §8.6.
    public static let contentLength: FieldName = "Content-Length"
    /// RFC 9110 §8.7.
    public static let contentLocation: FieldName = "Content-Location"
    /// RFC 9110 §14.4.
    public static let contentRange: FieldName = "Content-Range"
    /// RFC 9110 §8.3.
    public static let contentType: FieldName = "Content-Type"
    /// RFC 6265 §4.2. Always secret.
    public static let cookie: FieldName = "Cookie"
    /// RFC 9110 §6.6.1.
    public static let date: FieldName = "Date"
    /// RFC 9110 §8.8.3.
    public static let etag: FieldName = "ETag"
    /// RFC 9111 §5.3.
    public static let expires: FieldName = "Expires"
    /// RFC 9110 §7.2.
    public static let host: FieldName = "Host"
    /// RFC 9110 §13.1.1.
    public static let ifMatch: FieldName = "If-Match"
    /// RFC 9110 §13.1.3.
    public static let ifModifiedSince: FieldName = "If-Modified-Since"
    /// RFC 9110 §13.1.2.
    public static let ifNoneMatch: FieldName = "If-None-Match"
    /// RFC 9110 §13.1.5.
    public static let ifRange: FieldName = "If-Range"
    /// RFC 9110 §13.1.4.
    public static let ifUnmodifiedSince: FieldName = "If-Unmodified-Since"
    /// RFC 9110 §8.8.2.
    public static let lastModified: FieldName = "Last-Modified"
    /// RFC 9110 §10.2.2.
    public static let location: FieldName = "Location"
    /// RFC 9110 §11.7.2. Always secret.
    public static let proxyAuthorization: FieldName = "Proxy-Authorization"
    /// RFC 9110 §14.2.
    public static let range: FieldName = "Range"
    /// RFC 9110 §10.2.3.
    public static let retryAfter: FieldName = "Retry-After"
    /// RFC 9110 §10.2.4.
    public static let server: FieldName = "Server"
    /// RFC 6265 §4.1. Always secret.
    public static let setCookie: FieldName = "Set-Cookie"
    /// RFC 9112 §6.1.
    public static let transferEncoding: FieldName = "Transfer-Encoding"
    /// RFC 9110 §10.1.5.
    public static let userAgent: FieldName = "User-Agent"
    /// RFC 9110 §12.5.5.
    public static let vary: FieldName = "Vary"
    /// RFC 9110 §7.6.3.
    public static let via: FieldName = "Via"
    /// RFC 9110 §11.6.1.
    public static let wwwAuthenticate: FieldName = "WWW-Authenticate"
}

/// An ASCII letter in lower case; any other byte unchanged.
@inline(__always)
package func lowercased(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
}
