import PlugboardCodecs
import PlugboardCore

/// An endpoint as a value, for a request that needs no type of its own.
///
///     var search = SimpleEndpoint(.get, "boards/{board}/topics", ["board": "swift"], as: [Topic].self)
///     search.identifier = "search"
///     let topics = try await client.send(search)
///
/// Its properties are those of `Endpoint`, and can be set.
public struct SimpleEndpoint<Value: Sendable>: Endpoint {
    /// The type that the response is decoded as; see the table of `Endpoint`.
    public typealias Response = Value

    /// The method.
    public var method: Method
    /// The path, with placeholders, or an absolute URL.
    public var path: String
    /// The parameters.
    public var parameters: Parameters
    /// The base URL of `path`, instead of the client's base; empty for the client's.
    public var base = ""
    /// Names of parameters that are sent in the query, even if the method has a body.
    public var queryParameters: Set<String> = []
    /// The body; `.parameters` makes it of the parameters if the method has a body.
    public var body = EndpointBody.parameters
    /// Header fields.
    public var fields = Fields()
    /// The codec that writes the parameters as a body; nil for the client's.
    public var requestCodec: (any Codec)?
    /// Whether the client's CDN is the base of a relative path.
    public var usesCDN = false
    /// Whether the client's path prefix comes before a relative path.
    public var usesPathPrefix = true
    /// Whether the client's general header fields are sent.
    public var usesGeneralFields = true
    /// Whether the client's general parameters are sent.
    public var usesGeneralParameters = true
    /// Whether the call has the client's general user info.
    public var usesGeneralUserInfo = true
    /// Whether the client's adapters are called.
    public var usesAdapters = true
    /// Whether the plugin `cookies` sends and stores cookies.
    public var usesCookies = true
    /// Options for the plugin `cache`.
    public var cache = CacheUse()
    /// The schema or shape that the plugin `validator` checks the response against.
    public var validation = ResponseValidation.configured
    /// Timeouts of the request.
    public var timeouts = Timeouts()
    /// Credentials for the plugin `authentication`.
    public var credentials = Credentials.configured
    /// The most attempts for the plugin `retry`; 0 for its settings.
    public var attempts = 0
    /// A delay or failure of the request during development.
    public var debug = DebugBehavior.client
    /// The name of the endpoint in errors; nil for method and path.
    public var name: String?
    /// The identifier by which calls are found.
    public var identifier = ""
    /// The name of a group of calls.
    public var group = ""
    /// A tag by which calls are found.
    public var tag = ""
    /// The kind of the call.
    public var category = ""
    /// Values for the program's own adapters, judge and callbacks.
    public var userInfo: [String: any Sendable] = [:]
    /// Decides which calls of a batch begin first.
    public var priority = CallPriority.normal
    /// The codec that reads the body; nil to choose it by the response's content type.
    public var responseCodec: (any Codec)?
    /// Statuses of a successful response.
    public var acceptableStatuses = StatusSet.successful
    /// Media types of a successful response; empty for all.
    public var acceptableTypes: [String] = []
    /// The largest body that is collected; zero bytes for the client's limit.
    public var bodyLimit = ByteCount.bytes(0)
    /// The path of the file for the body, or its folder; empty for none.
    public var downloadPath = ""

    private init(method: Method, path: String, parameters: Parameters) {
        self.method = method
        self.path = path
        self.parameters = parameters
    }

    /// The name, or method and path.
    public var endpointName: String { name ?? "\(method.name) \(Printable.url(path))" }

    /// The value for the type of the response, by the table of `Endpoint`. An initializer has checked the type.
    public func decode(_ response: ReceivedResponse, in client: Client) throws(PlugboardError) -> Value {
        try value(of: response, in: client)
    }
}

extension SimpleEndpoint where Value: Decodable {
    /// An endpoint whose response is decoded as this type.
    public init(_ method: Method, _ path: String, _ parameters: Parameters = [:], as type: Value.Type = Value.self) {
        self.init(method: method, path: path, parameters: parameters)
    }

    /// An endpoint with the method GET.
    public init(_ path: String, _ parameters: Parameters = [:], as type: Value.Type = Value.self) {
        self.init(.get, path, parameters)
    }
}

extension SimpleEndpoint where Value: UndecodedResponse {
    /// An endpoint whose response is returned without decoding.
    public init(_ method: Method, _ path: String, _ parameters: Parameters = [:], as type: Value.Type = Value.self) {
        self.init(method: method, path: path, parameters: parameters)
    }

    /// An endpoint with the method GET.
    public init(_ path: String, _ parameters: Parameters = [:], as type: Value.Type = Value.self) {
        self.init(.get, path, parameters)
    }
}

extension SimpleEndpoint where Value == Void {
    /// An endpoint whose response has no value.
    public init(_ method: Method, _ path: String, _ parameters: Parameters = [:], as type: Void.Type = Void.self) {
        self.init(method: method, path: path, parameters: parameters)
    }

    /// An endpoint with the method GET.
    public init(_ path: String, _ parameters: Parameters = [:], as type: Void.Type = Void.self) {
        self.init(.get, path, parameters)
    }
}

extension SimpleEndpoint {
    /// An endpoint with a codec for its response, for types that are not `Decodable`, such as messages of Protocol
    /// Buffers. Types that need no codec, according to the table of `Endpoint`, are returned without decoding.
    public init(
        _ method: Method, _ path: String, _ parameters: Parameters = [:], as type: Value.Type = Value.self,
        with codec: any Codec
    ) {
        self.init(method: method, path: path, parameters: parameters)
        responseCodec = codec
    }

    /// An endpoint with the method GET and a codec for its response.
    public init(
        _ path: String, _ parameters: Parameters = [:], as type: Value.Type = Value.self, with codec: any Codec
    ) {
        self.init(.get, path, parameters, with: codec)
    }
}
