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
    /// The server and path before `path`, instead of the client's base; empty for the client's.
    public var base = ""
    /// Names of parameters that are sent in the query, whatever the method.
    public var queryParameters: Set<String> = []
    /// The body; `.parameters` makes it of the parameters if the method has a body.
    public var body = EndpointBody.parameters
    /// Header fields.
    public var fields = Fields()
    /// What writes the parameters as a body; nil for the client's.
    public var requestCodec: (any Codec)?
    /// Whether a relative path is below the client's CDN.
    public var usesCDN = false
    /// Whether the client's path prefix stands before a relative path.
    public var usesPathPrefix = true
    /// Whether the client's general header fields are sent.
    public var usesGeneralFields = true
    /// Whether the client's general parameters are sent.
    public var usesGeneralParameters = true
    /// Whether the client's general user info is in the call's.
    public var usesGeneralUserInfo = true
    /// Whether the client's adapters are called.
    public var usesAdapters = true
    /// Whether the plugin `cookies` sends and stores cookies.
    public var usesCookies = true
    /// What the plugin `cache` is told.
    public var cache = CacheUse()
    /// What the plugin `validator` checks the response against.
    public var validation = ResponseValidation.configured
    /// Timeouts of the request.
    public var timeouts = Timeouts()
    /// What the plugin `authentication` is told.
    public var credentials = Credentials.configured
    /// The attempts in all for the plugin `retry`; 0 for its settings.
    public var attempts = 0
    /// What is done to the request while the program is developed.
    public var debug = DebugBehavior.client
    /// What errors call the endpoint; nil for method and path.
    public var name: String?
    /// A name for calls to find it by.
    public var identifier = ""
    /// A name of calls that belong together.
    public var group = ""
    /// A mark that calls are found by.
    public var tag = ""
    /// A kind of calls.
    public var category = ""
    /// Values for the program's own adapters, judge and callbacks.
    public var userInfo: [String: any Sendable] = [:]
    /// Which calls of a batch begin first.
    public var priority = CallPriority.normal
    /// What reads the body; nil chooses by the response's content type.
    public var responseCodec: (any Codec)?
    /// Statuses of a successful response.
    public var acceptableStatuses = StatusSet.successful
    /// Media types of a successful response; none accepts any.
    public var acceptableTypes: [String] = []
    /// The largest body that is collected; no bytes for the client's limit.
    public var bodyLimit = ByteCount.bytes(0)
    /// The file that the body is written to, or its folder; empty for none.
    public var downloadPath = ""

    private init(method: Method, path: String, parameters: Parameters) {
        self.method = method
        self.path = path
        self.parameters = parameters
    }

    /// The name, or method and path.
    public var endpointName: String { name ?? "\(method.name) \(Printable.url(path))" }

    /// What the table of `Endpoint` says for the type of the response, which an initializer has accepted.
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
    /// An endpoint whose response is returned as it is.
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
    /// An endpoint whose response a codec reads, for types that are not `Decodable`, such as messages of Protocol
    /// Buffers. The types of the table of `Endpoint` that need no codec are returned as they are.
    public init(
        _ method: Method, _ path: String, _ parameters: Parameters = [:], as type: Value.Type = Value.self,
        with codec: any Codec
    ) {
        self.init(method: method, path: path, parameters: parameters)
        responseCodec = codec
    }

    /// An endpoint with the method GET, whose response a codec reads.
    public init(
        _ path: String, _ parameters: Parameters = [:], as type: Value.Type = Value.self, with codec: any Codec
    ) {
        self.init(.get, path, parameters, with: codec)
    }
}
