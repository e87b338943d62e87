/// The method of a request (RFC 9110 §9); case matters.
public struct Method: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let name: String

    public init(_ name: String) { self.name = name }
    public init(stringLiteral name: String) { self.name = name }

    public var description: String { name }

    public static let get: Method = "GET"
    public static let head: Method = "HEAD"
    public static let post: Method = "POST"
    public static let put: Method = "PUT"
    public static let patch: Method = "PATCH"
    public static let delete: Method = "DELETE"
    public static let options: Method = "OPTIONS"

    /// Safe methods ask for nothing but an answer (RFC 9110 §9.2.1).
    public var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(name) }

    /// Idempotent methods may be repeated without asking (RFC 9110 §9.2.2).
    public var isIdempotent: Bool { isSafe || name == "PUT" || name == "DELETE" }

    /// Whether the name is a token (RFC 9110 §5.6.2); another one cannot be sent.
    public var isValid: Bool { !name.isEmpty && name.utf8.allSatisfy(isTokenByte) }
}

/// `tchar` of RFC 9110 §5.6.2.
package func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
