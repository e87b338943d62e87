/// The answer to a request: its head, and its body to be pulled.
///
/// A response is never an error, whatever its status.
public struct Response: Sendable {
    public var head: ResponseHead
    public var body: Body
    /// The URL that answered: the last one, if redirects were followed.
    public var url: String
    /// Attempts that the exchange took; 0 when a plugin answered and the network was not asked.
    public var attempts: Int

    public init(head: ResponseHead, body: Body = .empty, url: String = "", attempts: Int = 0) {
        self.head = head
        self.body = body
        self.url = url
        self.attempts = attempts
    }

    public var status: Int { head.status }
    public var fields: Fields { head.fields }

    /// The first header field of this name.
    public subscript(name: FieldName) -> String? { head.fields[name] }
}

/// The head of a response: status and fields. Interim answers (1xx) are heads without a body.
public struct ResponseHead: Sendable {
    public var status: Int
    /// The reason phrase, as it came; empty in HTTP/2.
    public var reason: String
    public var version: Version
    public var fields: Fields

    /// The protocol version that answered.
    public enum Version: String, Sendable {
        case http10 = "1.0"
        case http11 = "1.1"
        case http2 = "2"
        case http3 = "3"
    }

    public init(status: Int, reason: String = "", version: Version = .http11, fields: Fields = Fields()) {
        self.status = status
        self.reason = reason
        self.version = version
        self.fields = fields
    }
}

/// When an attempt did what, counted from its beginning; zero for what it did not do, as with a connection used again.
public struct Timings: Sendable, Equatable {
    public var nameLookup: Duration = .zero
    public var connect: Duration = .zero
    public var tls: Duration = .zero
    public var firstByte: Duration = .zero
    public var total: Duration = .zero

    public init() {}
}
