/// A request: a program sends it, and plugins may edit it before it is sent.
public struct Request: Sendable {
    /// GET by default.
    public var method: Method
    /// An absolute `http` or `https` URL. The fragment is not sent.
    public var url: String
    /// The header fields.
    ///
    /// With `Expect: 100-continue`, the body waits until the server wants it, at most a second; a response that comes
    /// instead, such as 417, is the response (RFC 9110 §10.1.1). No request has this field unless it is set.
    public var fields: Fields
    /// Nil sends no body and no `Content-Length`.
    public var body: Body?
    /// Options for plugins, under the names `PLUGIN-ID.name`.
    public var attributes: Attributes
    /// How the request is sent. Options that are nil have the values of the kernel's configuration.
    public var options: RequestOptions {
        get { storedOptions?.options ?? RequestOptions() }
        set { storedOptions = StoredOptions(newValue) }
    }

    /// `options` in a shared object; nil if none were set.
    package private(set) var storedOptions: StoredOptions?

    /// A request. Nothing is checked here; sending it throws `request.…` if it is not valid.
    public init(
        _ method: Method = .get, _ url: String, fields: Fields = Fields(), body: Body? = nil,
        attributes: Attributes = Attributes()
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.attributes = attributes
    }

    /// The value of the first header field of this name. Setting it replaces all fields of the name; nil removes them.
    public subscript(name: FieldName) -> String? {
        get { fields[name] }
        set { fields[name] = newValue }
    }

    /// Whether the request has options of its own.
    package var hasOptions: Bool { storedOptions != nil }
}

/// Options in a shared object, because they are large and most requests have none.
@usableFromInline
package final class StoredOptions: Sendable {
    /// Never changes.
    package let options: RequestOptions
    /// The timeouts in nanoseconds, 0 at least, `Int64.max` for none: the division of a `Duration` is slow, and each
    /// exchange needs several.
    package let timeout: Int64
    /// See `timeout`.
    package let connectTimeout: Int64
    /// See `timeout`.
    package let idleTimeout: Int64
    /// See `timeout`.
    package let attemptTimeout: Int64

    /// Stores a copy of the options.
    package init(_ options: RequestOptions) {
        func nanoseconds(_ duration: Duration?) -> Int64 { duration.map { max($0.nanoseconds, 0) } ?? .max }
        self.options = options
        timeout = nanoseconds(options.timeout)
        connectTimeout = nanoseconds(options.connectTimeout)
        idleTimeout = nanoseconds(options.idleTimeout)
        attemptTimeout = nanoseconds(options.attemptTimeout)
    }
}

/// Options that a request carries for plugins, as texts under names that begin with the plugin's id.
///
/// A resend keeps them, and a sub-request does not get them. They may take 64 KiB in all. The options module of each
/// plugin declares typed properties for them: `request.redirect.limit = 5`.
public struct Attributes: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// The most bytes that all names and values may take.
    public static let byteLimit = 64 << 10

    /// All values by their names.
    public private(set) var values: [String: String] = [:]

    /// No attributes.
    public init() {}

    /// The attributes of a literal; the last of equal names counts.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { values[name] = value }
    }

    /// The value of `PLUGIN-ID.name`; nil removes it.
    public subscript(name: String) -> String? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// Whether there are no attributes.
    public var isEmpty: Bool { values.isEmpty }

    /// The bytes that all names and values take.
    public var byteCount: Int { values.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }
}
