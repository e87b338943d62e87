import PlugboardCodecs
import PlugboardCore
public import PlugboardDownloads

/// A request as a type, with the type of its response. All requirements except `path` have a default.
///
///     struct TopicList: Endpoint, Encodable {
///         typealias Response = [Topic]
///         var path: String { "boards/{board}/topics" }
///         let board: String
///         var page = 1
///     }
///     let topics = try await client.send(TopicList(board: "swift"))   // GET …/boards/swift/topics?page=1
///
/// The stored properties of an `Encodable` endpoint are its parameters. A placeholder in the path takes the
/// parameter of its name; the other parameters become the query (GET, HEAD, DELETE, OPTIONS, TRACE) or the body.
///
/// Stored properties that implement a requirement of this protocol are not parameters: `path`, `base`, `downloadPath`,
/// `queryParameters`, `acceptableTypes`, `attempts`, and those of this protocol that begin with `uses`, unless they
/// have a `CodingKey` of another name. Exception: stored `tag`, `group`, `category` and `identifier` are parameters
/// too.
///
/// A stored property that has the name of a requirement but another type, such as `let attempts: Int? = 5`, would have
/// no effect: the first request of the type throws `configuration`. The compiler cannot detect a misspelled name, such
/// as `metod`, because it is an ordinary property: check the result of `client.request(for:)`.
///
/// `Response` determines the kind of response:
///
/// | `Response` | what `send` returns |
/// |---|---|
/// | any `Decodable` type | the body, decoded by `responseCodec`, or by the codec of its content type |
/// | `Void` | nothing; the body is not kept |
/// | `Bytes`, `String`, `JSONValue` | the whole body, without decoding by a codec |
/// | `ReceivedResponse` | head and whole body |
/// | `StreamedResponse` | head, and a body to read in pieces |
/// | `DownloadedFile` | the file at `downloadPath`, into which the body was written |
///
/// With any other type the endpoint does not compile, unless it implements `decode(_:in:)`. For a message of Protocol
/// Buffers write `try client.decode(Response.self, from: response, with: .protobuf)`. A `SimpleEndpoint` names the
/// codec: `SimpleEndpoint("profile", as: Profile.self, with: .protobuf)`.
public protocol Endpoint: Sendable {
    /// What a successful request returns.
    associatedtype Response: Sendable

    // MARK: The request

    /// The method; GET by default.
    var method: Method { get }
    /// The path below the client's base, with `{placeholders}`; or an absolute URL, for which base, CDN and prefix are
    /// ignored. `EndpointURL` describes how the parts are joined.
    var path: String { get }
    /// The base URL of `path`, instead of the client's base or CDN; empty, the default, for the client's.
    var base: String { get }
    /// The parameters; by default none, and for an `Encodable` endpoint its own properties.
    var parameters: Parameters { get throws }
    /// Names of parameters that are sent in the query, even if the method has a body.
    var queryParameters: Set<String> { get }
    /// The body; `.parameters`, the default, makes it of the parameters if the method has a body. With another, all
    /// parameters become the query.
    var body: EndpointBody { get throws }
    /// Header fields. They replace the client's general fields of the same name.
    var fields: Fields { get }
    /// The codec that writes the parameters as a body; nil for the client's.
    var requestCodec: (any Codec)? { get }

    // MARK: How it is sent

    /// Whether the client's CDN is the base of a relative path, instead of the client's base; false by default.
    var usesCDN: Bool { get }
    /// Whether the client's path prefix comes before a relative path; true by default.
    var usesPathPrefix: Bool { get }
    /// Whether the client's general header fields are sent; true by default.
    var usesGeneralFields: Bool { get }
    /// Whether the client's general parameters are sent; true by default. They always fill placeholders.
    var usesGeneralParameters: Bool { get }
    /// Whether the call has the client's general user info; true by default.
    var usesGeneralUserInfo: Bool { get }
    /// Whether the client's adapters of URLs, parameters and requests are called; true by default.
    var usesAdapters: Bool { get }
    /// Whether the plugin `cookies` sends and stores cookies; true by default.
    var usesCookies: Bool { get }
    /// Options for the plugin `cache`; by default none.
    var cache: CacheUse { get }
    /// The schema or shape for the plugin `validator`; `.configured`, the default, for that of its settings.
    var validation: ResponseValidation { get }
    /// Timeouts of the request; by default the kernel's.
    var timeouts: Timeouts { get }
    /// The credentials for the plugin `authentication`; `.configured`, the default, for those that the configuration
    /// gives for the origin.
    var credentials: Credentials { get }
    /// The most attempts for the plugin `retry`; 0, the default, for the plugin's settings.
    var attempts: Int { get }

    /// A delay or failure of the request during development; `.client`, the default, for the behaviour of the client.
    var debug: DebugBehavior { get }

    // MARK: What it is called

    /// The name of the endpoint in errors; the name of the type by default.
    var endpointName: String { get }
    /// The identifier by which calls are found; empty, the default, for none.
    var identifier: String { get }
    /// The name of a group of calls; empty, the default, for none.
    var group: String { get }
    /// A tag by which calls are found; empty, the default, for none.
    var tag: String { get }
    /// The kind of the call; empty, the default, for none.
    var category: String { get }
    /// Values for the program's own adapters, judge and callbacks. They replace the client's of the same key.
    var userInfo: [String: any Sendable] { get }
    /// Decides which calls of a batch begin first; normal by default.
    var priority: CallPriority { get }

    // MARK: The response

    /// The codec that reads the body; nil chooses one of the client's codecs by the response's content type.
    var responseCodec: (any Codec)? { get }
    /// Statuses of a successful response; 200 to 299 by default. Other statuses throw `response.status`.
    var acceptableStatuses: StatusSet { get }
    /// Media types of a successful response with a body, such as `["application/json", "image/*"]`; none, the default,
    /// accepts any. Other types throw `response.type`. They are also sent as the field `Accept`.
    var acceptableTypes: [String] { get }
    /// The largest body that is collected; no bytes, the default, for the client's limit.
    var bodyLimit: ByteCount { get }
    /// The path of the file for the body; empty, the default, for none. An interrupted download is continued.
    ///
    /// If it is a folder, or ends with `/`, the server gives the file its name, or else the last part of the URL's path
    /// is the name; an existing file is then not replaced (`Download.init(_:in:)`).
    var downloadPath: String { get }

    // MARK: Hooks of the type itself
    //
    // An error that they throw is a `PlugboardError`, or becomes one of the code `request.refused`. They are `async
    // throws`, because a hook that throws or waits, if its requirement does not, would be no witness.

    /// The whole request, if the properties above cannot express it; nil, the default, makes it of the properties.
    ///
    /// A custom request ignores all properties about the request and how it is sent. The client's request adapters,
    /// judge, hooks and callbacks still apply.
    nonisolated(nonsending) func customRequest() async throws -> Request?
    /// Edits the request before the client's request adapters, for options and attributes without a property here, such
    /// as `request.retry.delay`.
    nonisolated(nonsending) func prepare(_ request: inout Request) async throws
    /// Edits the download to `downloadPath`, after its request is complete. `download.overlap` continues downloads from
    /// servers without validators; `download.fallback` is the path of a file that cannot be written to `downloadPath`.
    nonisolated(nonsending) func prepare(_ download: inout Download) async throws
    /// Edits a response whose status and type are acceptable, before the following hooks: for example, to unwrap an
    /// envelope.
    nonisolated(nonsending) func transform(_ response: inout ReceivedResponse) async throws
    /// Throws if the response is not successful.
    nonisolated(nonsending) func validate(_ response: ReceivedResponse) async throws
    /// Makes the value of a successful response.
    nonisolated(nonsending) func decode(_ response: ReceivedResponse, in client: Client) async throws -> Response
    /// Throws if the decoded value is not successful.
    nonisolated(nonsending) func validate(value: Response) async throws
}

/// A response whose body is read in pieces. An endpoint's `Response` does not hide this alias of the kernel's type.
public typealias StreamedResponse = PlugboardMessages.Response
