/// The name of a header or trailer field; compared without regard to ASCII case, sent as written (RFC 9110 §5.1).
///
/// The list below is what the bundled plugins use; add names of your own in an extension:
/// `extension FieldName { static let trace = FieldName("X-Trace") }`.
public struct FieldName: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let text: String

    public init(_ text: String) { self.text = text }
    public init(stringLiteral text: String) { self.text = text }

    public var description: String { text }

    public static func == (left: FieldName, right: FieldName) -> Bool {
        left.text.utf8.count == right.text.utf8.count
            && zip(left.text.utf8, right.text.utf8).allSatisfy { lowercased($0) == lowercased($1) }
    }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(lowercased(byte)) }
    }

    public static let accept: FieldName = "Accept"
    public static let acceptEncoding: FieldName = "Accept-Encoding"
    public static let acceptRanges: FieldName = "Accept-Ranges"
    public static let age: FieldName = "Age"
    public static let authorization: FieldName = "Authorization"
    public static let cacheControl: FieldName = "Cache-Control"
    public static let connection: FieldName = "Connection"
    public static let contentDisposition: FieldName = "Content-Disposition"
    public static let contentEncoding: FieldName = "Content-Encoding"
    public static let contentLanguage: FieldName = "Content-Language"
    public static let contentLength: FieldName = "Content-Length"
    public static let contentLocation: FieldName = "Content-Location"
    public static let contentRange: FieldName = "Content-Range"
    public static let contentType: FieldName = "Content-Type"
    public static let cookie: FieldName = "Cookie"
    public static let date: FieldName = "Date"
    public static let etag: FieldName = "ETag"
    public static let expires: FieldName = "Expires"
    public static let host: FieldName = "Host"
    public static let ifMatch: FieldName = "If-Match"
    public static let ifModifiedSince: FieldName = "If-Modified-Since"
    public static let ifNoneMatch: FieldName = "If-None-Match"
    public static let ifRange: FieldName = "If-Range"
    public static let ifUnmodifiedSince: FieldName = "If-Unmodified-Since"
    public static let lastModified: FieldName = "Last-Modified"
    public static let location: FieldName = "Location"
    public static let proxyAuthorization: FieldName = "Proxy-Authorization"
    public static let range: FieldName = "Range"
    public static let retryAfter: FieldName = "Retry-After"
    public static let server: FieldName = "Server"
    public static let setCookie: FieldName = "Set-Cookie"
    public static let transferEncoding: FieldName = "Transfer-Encoding"
    public static let userAgent: FieldName = "User-Agent"
    public static let vary: FieldName = "Vary"
    public static let via: FieldName = "Via"
    public static let wwwAuthenticate: FieldName = "WWW-Authenticate"
}

/// ASCII lower case; other bytes stay as they are.
@inline(__always)
package func lowercased(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
}
