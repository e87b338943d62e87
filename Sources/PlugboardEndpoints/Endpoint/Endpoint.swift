import PlugboardCodecs
import PlugboardCore
public import PlugboardDownloads

/// A request as a type, with the type of its response. Everything but the path has a default.
///
///     struct TopicList: Endpoint, Encodable {
///         typealias Response = [Topic]
///         var path: String { "boards/{board}/topics" }
///         let board: String
///         var page = 1
///     }
///     let topics = try await client.send(TopicList(board: "swift"))   // GET …/boards/swift/topics?page=1
///
/// The stored properties of an endpoint that is `Encodable` are its parameters. A placeholder in the path takes the
/// parameter of its name; the other parameters become the query (GET, HEAD, DELETE, OPTIONS, TRACE) or the body.
///
/// A stored property that sets a requirement of this protocol is no parameter: `path`, `base`, `downloadPath`,
/// `queryParameters`, `acceptableTypes`, `attempts`, and those of this protocol that begin with `uses`, unless they
/// have a `CodingKey` of another name. `tag`, `group`, `category` and `identifier` are parameters too, where they are
/// stored.
///
/// A stored property that has the name of a requirement and another type, such as `let attempts: Int? = 5`, would have
/// no effect: the first request of the type throws `configuration`. A name that is spelled wrongly, such as `metod`, is
/// a property like any other, which no compiler can tell: `client.request(for:)` returns what an endpoint is sent as.
///
/// The kind of response follows from `Response`:
///
/// | `Response` | what `send` returns |
/// |---|---|
/// | any `Decodable` type | the body, decoded by `responseCodec`, or by the codec of its content type |
/// | `Void` | nothing; a body is not kept |
/// | `Bytes`, `String`, `JSONValue` | the whole body, as it is |
/// | `ReceivedResponse` | head and whole body |
/// | `StreamedResponse` | head, and a body to read in pieces |
/// | `DownloadedFile` | the file at `downloadPath`, into which the body was written |
///
/// With any other type the endpoint does not compile, unless it has a `decode(_:in:)` of its own. That of a message of
/// Protocol Buffers is `try client.decode(Response.self, from: response, with: .protobuf)`. A `SimpleEndpoint` names
/// the codec: `SimpleEndpoint("profile", as: Profile.self, with: .protobuf)`.
public protocol Endpoint: Sendable {
    /// What a successful request returns.
    associatedtype Response: Sendable

    // MARK: The request

    /// GET by default.
    var method: Method { get }
    /// The path below the client's base, with `{placeholders}`; or an absolute URL, for which base, CDN and prefix are
    /// ignored. `EndpointURL` describes how the parts are joined.
    var path: String { get }
    /// The server and path before `path`, instead of the client's base or CDN; empty, the default, for the client's.
    var base: String { get }
    /// By default none, and for an endpoint that is `Encodable` its own properties.
    var parameters: Parameters { get throws }
    /// Names of parameters that are sent in the query, whatever the method.
    var queryParameters: Set<String> { get }
    /// The body; `.parameters`, the default, makes it of the parameters if the method has a body. With another, all
    /// parameters become the query.
    var body: EndpointBody { get throws }
    /// Header fields. They replace the client's general fields of the same name.
    var fields: Fields { get }
    /// What writes the parameters as a body; nil for the client's.
    var requestCodec: (any Codec)? { get }

    // MARK: How it is sent

    /// Whether a relative path is below the client's CDN instead of its base; false by default.
    var usesCDN: Bool { get }
    /// Whether the client's path prefix stands before a relative path; true by default.
    var usesPathPrefix: Bool { get }
    /// Whether the client's general header fields are sent; true by default.
    var usesGeneralFields: Bool { get }
    /// Whether the client's general parameters are sent; true by default. Placeholders take them in any case.
    var usesGeneralParameters: Bool { get }
    /// Whether the client's general user info is in the call's; true by default.
    var usesGeneralUserInfo: Bool { get }
    /// Whether the client's adapters of URLs, parameters and requests are called; true by default.
    var usesAdapters: Bool { get }
    /// Whether the plugin `cookies` sends and stores cookies; true by default.
    var usesCookies: Bool { get }
    /// What the plugin `cache` is told; by default nothing.
    var cache: CacheUse { get }
    /// What the plugin `validator` checks the response against; `.configured`, the default, for what its settings say.
    var validation: ResponseValidation { get }
    /// Timeouts of the request; by default the kernel's.
    var timeouts: Timeouts { get }
    /// What the plugin `authentication` is told; `.configured`, the default, leaves it to the configuration of the
    /// origin.
    var credentials: Credentials { get }
    /// The attempts in all for the plugin `retry`; 0, the default, leaves it to the plugin's settings.
    var attempts: Int { get }

    /// What is done to the request while a program is developed; `.client`, the default, for what is done to all of the
    /// client.
    var debug: DebugBehavior { get }

    // MARK: What it is called

    /// What errors call the endpoint; the name of the type by default.
    var endpointName: String { get }
    /// A name for calls to find them by; empty, the default, for none.
    var identifier: String { get }
    /// A name of calls that belong together; empty, the default, for none.
    var group: String { get }
    /// A mark that calls are found by; empty, the default, for none.
    var tag: String { get }
    /// A kind of calls; empty, the default, for none.
    var category: String { get }
    /// Values for the program's own adapters, judge and callbacks. They replace the client's of the same key.
    var userInfo: [String: any Sendable] { get }
    /// Which calls of a batch begin first; normal by default.
    var priority: CallPriority { get }

    // MARK: The response

    /// What reads the body; nil chooses by the response's content type among the client's codecs.
    var responseCodec: (any Codec)? { get }
    /// Statuses of a successful response; 200 to 299 by default. Others throw `response.status`.
    var acceptableStatuses: StatusSet { get }
    /// Media types of a successful response with a body, such as `["application/json", "image/*"]`; none, the default,
    /// accepts any. Others throw `response.type`. They are also sent as the field `Accept`.
    var acceptableTypes: [String] { get }
    /// The largest body that is collected; no bytes, the default, for the client's limit.
    var bodyLimit: ByteCount { get }
    /// The file that the body is written to; empty, the default, for none. What a broken download has left is
    /// continued.
    ///
    /// In a folder, one that exists or a path that ends with `/`, the file has the name that the server gives it, else
    /// the last part of the URL's path; a file that exists is then not replaced (`Download.init(_:in:)`).
    var downloadPath: String { get }

    // MARK: Hooks of the type itself
    //
    // What they throw is a `PlugboardError`, or becomes one of the code `request.refused`. They are `async throws`,
    // because a hook that throws or waits more than its requirement would be no witness, and would never be called.

    /// The whole request, for what an endpoint cannot express; nil, the default, makes it of the properties above.
    ///
    /// A custom request ignores all properties of the request and of how it is sent. The client's request adapters are
    /// still called, and its judge, its hooks and the callbacks apply.
    nonisolated(nonsending) func customRequest() async throws -> Request?
    /// Edits the request, before the client's request adapters; for options and attributes that have no property here,
    /// such as `request.retry.delay`.
    nonisolated(nonsending) func prepare(_ request: inout Request) async throws
    /// Edits the download to `downloadPath`, whose request is complete: `download.overlap` continues it from servers
    /// without validators, `download.fallback` says where a file goes that cannot be written to its path.
    nonisolated(nonsending) func prepare(_ download: inout Download) async throws
    /// Edits a response whose status and type are acceptable, before all that follows: takes the data out of an
    /// envelope, for example.
    nonisolated(nonsending) func transform(_ response: inout ReceivedResponse) async throws
    /// Throws if the response is not a successful one.
    nonisolated(nonsending) func validate(_ response: ReceivedResponse) async throws
    /// The value of a successful response.
    nonisolated(nonsending) func decode(_ response: ReceivedResponse, in client: Client) async throws -> Response
    /// Throws if the decoded value is not a successful one.
    nonisolated(nonsending) func validate(value: Response) async throws
}

/// A response whose body is read in pieces: the kernel's own type, under a name that an endpoint's `Response` does not
/// hide.
public typealias StreamedResponse = PlugboardMessages.Response
