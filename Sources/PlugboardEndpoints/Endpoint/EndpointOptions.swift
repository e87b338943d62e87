public import PlugboardCacheOptions
import PlugboardCore

/// Options of an endpoint for the plugin `cache`. Nil means the plugin's setting.
public struct CacheUse: Sendable {
    /// How long the response is fresh.
    public var timeToLive: Duration?
    /// Whether `timeToLive` overrides the lifetime that the server specifies.
    public var overrides: Bool?
    /// Responses stored under another version are not used.
    public var version: String?
    /// How stored responses are used.
    public var mode: CacheMode?
    /// Parts of the request that the key contains in addition to the URL.
    public var key: [CacheKeyPart]?

    /// Creates options.
    public init(
        timeToLive: Duration? = nil, overrides: Bool? = nil, version: String? = nil, mode: CacheMode? = nil,
        key: [CacheKeyPart]? = nil
    ) {
        self.timeToLive = timeToLive
        self.overrides = overrides
        self.version = version
        self.mode = mode
        self.key = key
    }

    func apply(to request: inout Request) {
        if let timeToLive { request.cache.timeToLive = timeToLive }
        if let overrides { request.cache.overrides = overrides }
        if let version { request.cache.version = version }
        if let mode { request.cache.mode = mode }
        if let key { request.cache.key = key }
    }
}

/// The timeouts of a request. Nil means the kernel's value.
public struct Timeouts: Sendable {
    /// The longest duration of the exchange, including redirects, retries and the response's body.
    public var total: Duration?
    /// The longest duration of name look-up, connection and TLS handshake of one attempt.
    public var connect: Duration?
    /// The longest time in which no byte is sent or received.
    public var idle: Duration?
    /// The longest duration of one attempt.
    public var attempt: Duration?

    /// Creates timeouts.
    public init(
        total: Duration? = nil, connect: Duration? = nil, idle: Duration? = nil, attempt: Duration? = nil
    ) {
        self.total = total
        self.connect = connect
        self.idle = idle
        self.attempt = attempt
    }

    func apply(to request: inout Request) {
        var options = request.options
        options.timeout = total ?? options.timeout
        options.connectTimeout = connect ?? options.connectTimeout
        options.idleTimeout = idle ?? options.idleTimeout
        options.attemptTimeout = attempt ?? options.attemptTimeout
        request.options = options
    }
}

/// Credentials of an endpoint for the plugin `authentication`.
public enum Credentials: Sendable {
    /// The credentials that the configuration has for the request's origin, if any.
    case configured
    /// A user and a password (RFC 7617).
    case basic(user: String, password: String)
    /// A token (RFC 6750).
    case bearer(String)
    /// The request is sent without credentials, even if its origin has some in the configuration.
    case none
}

extension Credentials: CustomStringConvertible, CustomReflectable {
    /// The kind, and the user; does not contain a password or a token.
    public var description: String {
        switch self {
        case .configured: "configured"
        case .basic(let user, _): "basic, for \(user)"
        case .bearer: "bearer"
        case .none: "none"
        }
    }
    /// A mirror without children, so that `dump` prints the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The order in which the calls of a batch begin. Higher begins first.
public struct CallPriority: Sendable, Hashable, Comparable {
    /// The number.
    public let value: Int

    /// Creates a priority.
    public init(_ value: Int) { self.value = value }

    /// -100.
    public static let low = CallPriority(-100)
    /// 0.
    public static let normal = CallPriority(0)
    /// 100.
    public static let high = CallPriority(100)

    /// Compares the numbers.
    public static func < (left: CallPriority, right: CallPriority) -> Bool { left.value < right.value }
}

/// A set of statuses.
public enum StatusSet: Sendable, Equatable, ExpressibleByArrayLiteral {
    /// All statuses in a range.
    case range(Range<Int>)
    /// A set of single statuses.
    case list(Set<Int>)

    /// 200 to 299.
    public static var successful: StatusSet { .range(200..<300) }
    /// Every status.
    public static var any: StatusSet { .range(0..<1000) }

    /// Creates a set from a literal, such as `[200, 404]`.
    public init(arrayLiteral elements: Int...) { self = .list(Set(elements)) }

    /// Whether a status is in the set.
    public func contains(_ status: Int) -> Bool {
        switch self {
        case .range(let range): range.contains(status)
        case .list(let list): list.contains(status)
        }
    }

    /// The text in errors: `200 to 299`, `200, 404`.
    var text: String {
        switch self {
        case .range(let range): "\(range.lowerBound) to \(range.upperBound - 1)"
        case .list(let list): list.sorted().map { "\($0)" }.joined(separator: ", ")
        }
    }
}
