/// The response to a request: its head, and its body, which is pulled.
///
/// A response is never an error, whatever its status.
public struct Response: Sendable {
    /// Status and fields.
    public var head: ResponseHead
    /// The body; empty if there is none. It can be read once.
    public var body: Body
    /// The URL of the request that got this response: the last one, if redirects were followed.
    public var url: String
    /// The number of attempts of the exchange; 0 if a plugin responded and nothing was sent.
    public var attempts: Int

    /// A response, as transports and plugins make it. The kernel sets `url` and `attempts`.
    public init(head: ResponseHead, body: Body = .empty, url: String = "", attempts: Int = 0) {
        self.head = head
        self.body = body
        self.url = url
        self.attempts = attempts
    }

    /// The status of the head, such as 200.
    public var status: Int { head.status }
    /// The header fields of the head.
    public var fields: Fields { head.fields }

    /// The value of the first header field of this name, or nil.
    public subscript(name: FieldName) -> String? { head.fields[name] }
}

/// The head of a response: status and fields. An interim response (1xx) is a head without a body.
public struct ResponseHead: Sendable {
    /// The status code, from 100 to 999.
    public var status: Int
    /// The reason phrase, as it was received; empty in HTTP/2.
    public var reason: String
    /// The version of HTTP in which it was received.
    public var version: Version
    /// The header fields, as they were received.
    public var fields: Fields

    /// A version of HTTP. Its raw value is the number, such as `1.1`.
    public enum Version: String, Sendable {
        /// HTTP/1.0 (RFC 1945).
        case http10 = "1.0"
        /// HTTP/1.1 (RFC 9112).
        case http11 = "1.1"
        /// HTTP/2 (RFC 9113).
        case http2 = "2"
        /// HTTP/3 (RFC 9114).
        case http3 = "3"
    }

    /// A head, as transports and plugins make it. The status is not checked here; the kernel checks
    /// that of plugins' responses only.
    public init(status: Int, reason: String = "", version: Version = .http11, fields: Fields = Fields()) {
        self.status = status
        self.reason = reason
        self.version = version
        self.fields = fields
    }
}

/// How long after its start an attempt reached each step; zero for a step that it did not need, such as a connection
/// that was already open.
public struct Timings: Sendable, Equatable {
    /// The host's name was resolved.
    public var nameLookup: Duration = .zero
    /// The connection was open.
    public var connect: Duration = .zero
    /// The TLS handshake was complete.
    public var tls: Duration = .zero
    /// The first byte of the response was received.
    public var firstByte: Duration = .zero
    /// The attempt ended.
    public var total: Duration = .zero
    /// The attempt's connection. Nil if the exchange is not watched, or if there was no connection.
    package var connection: Connection?

    /// One word in each attempt that has none.
    package final class Connection: Sendable, Equatable {
        package let facts: ConnectionFacts

        package init(_ facts: ConnectionFacts) { self.facts = facts }

        package static func == (left: Connection, right: Connection) -> Bool { left.facts == right.facts }
    }

    /// All zero.
    public init() {}
}

/// What a transport tells of an attempt's TCP connection.
package struct ConnectionFacts: Sendable, Equatable {
    /// Empty if libcurl does not tell the addresses.
    package var (remote, local) = ("", "")
    package var (remotePort, localPort) = (0, 0)
    /// The bytes of the request's heads that were sent.
    package var requestSize = 0
    /// The status of a proxy's last response to CONNECT; 0 without one.
    package var connectStatus = 0
    /// The TLS library's number for what it thinks of the server's certificate; 0 if that is trusted, and without TLS.
    package var verifyResult = 0

    package init() {}
}
