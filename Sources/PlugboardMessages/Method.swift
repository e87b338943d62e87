/// The method of a request (RFC 9110 §9). Upper and lower case are different.
public struct Method: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name as it is sent.
    public let name: String

    /// A method of any name. A request whose method is not a token (`isValid`) cannot be sent.
    public init(_ name: String) { self.name = name }
    /// The method of a literal, such as `"PROPFIND"`.
    public init(stringLiteral name: String) { self.name = name }

    /// The name.
    public var description: String { name }

    /// RFC 9110 §9.3.1.
    public static let get: Method = "GET"
    /// RFC 9110 §9.3.2.
    public static let head: Method = "HEAD"
    /// RFC 9110 §9.3.3.
    public static let post: Method = "POST"
    /// RFC 9110 §9.3.4.
    public static let put: Method = "PUT"
    /// RFC 5789.
    public static let patch: Method = "PATCH"
    /// RFC 9110 §9.3.5.
    public static let delete: Method = "DELETE"
    /// RFC 9110 §9.3.7.
    public static let options: Method = "OPTIONS"

    /// Whether the method is read-only (RFC 9110 §9.2.1).
    public var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(name) }

    /// Whether sending the request several times has the effect of sending it once (RFC 9110 §9.2.2).
    public var isIdempotent: Bool { isSafe || name == "PUT" || name == "DELETE" }

    /// Whether the name is a token (RFC 9110 §5.6.2). A request with any other name cannot be sent.
    public var isValid: Bool { name == "GET" || isToken(name) }
}
