public import PlugboardJSON
public import PlugboardKit

/// An endpoint as data: the request of a call by its name, and the expected response.
///
/// It is read from a file (`Definitions`), or made in code:
///
///     var definition = Definition("TopicList", path: "boards/{board}/topics")
///     definition.parameters = [DefinedParameter("page", .query)]
public struct Definition: Sendable {
    /// The expected content of the response.
    public enum Expectation: String, Sendable, CaseIterable {
        /// Nothing: the body is not read.
        case none
        /// The response as it was received.
        case raw
        /// One value.
        case object
        /// A list of values.
        case list
    }

    /// The name by which it is called.
    public private(set) var name: String
    /// One line for people.
    public var documentation = ""
    /// Whether the server's documentation advises against it.
    public var isDeprecated = false
    /// The method; GET by default.
    public var method = Method.get
    /// The absolute URL before the path; nil for the client's.
    public var base: String?
    /// A prefix between the base and the path.
    public var pathPrefix: String?
    /// The path, with `{placeholders}`; nil in a definition that others refine and that cannot be called.
    public var path: String?
    /// Header fields of each request.
    public var fields = Fields()
    /// Parameters of the query with fixed values.
    public var query: JSONObject = [:]
    /// The parameters that a call may give.
    public var parameters: [DefinedParameter] = []
    /// Whether a call may give parameters that are not listed; nil for true if only path parameters are.
    public var takesOtherParameters: Bool?
    /// The body of requests; nil if the method and the codec decide how parameters are sent.
    public var body: DefinedBody?
    /// Whether requests need authorization; nil if this is unknown. False sends requests without the credentials of
    /// the plugin authentication.
    public var needsAuthorization: Bool?
    /// Header fields of requests that need authorization.
    public var authorizationFields = Fields()
    /// Parameters of the query of requests that need authorization.
    public var authorizationQuery: JSONObject = [:]
    /// Alternative requirements: a request needs all schemes of one entry. An empty entry needs no credentials.
    public var security: [[SecurityScheme]] = []
    /// The name of the codec that writes the body; nil for the client's.
    public var requestCodec: String?
    /// The name of the codec that reads the response; nil to choose it by content type.
    public var responseCodec: String?
    /// The expected content; nil to choose it by content type.
    public var response: Expectation?
    /// The name of the type of the response's value, one of the client's models.
    public var responseType: String?
    /// Whether the value is read as JSON if the client has no type of this name, as for types of OpenAPI documents;
    /// otherwise the call fails.
    public var isResponseTypeOptional = false
    /// The media types that the response may have; empty for all.
    public var acceptableTypes: [String] = []
    /// The statuses that the response may have; nil for the client's.
    public var acceptableStatuses: [ClosedRange<Int>]?
    /// How long a cached response is fresh; nil for the lifetime that the response specifies.
    public var cacheTime: Duration?
    /// The version of cached responses; responses of other versions are not used.
    public var cacheVersion: String?
    /// The schema or shape that the plugin `validator` checks responses against; nil for that of its settings.
    public var validation: ResponseValidation?
    /// Options of requests: the timeouts.
    public var options = RequestOptions()
    /// A tag for finding and cancelling calls.
    public var tag: String?
    /// A group for finding and cancelling calls.
    public var group: String?
    /// A category for finding and cancelling calls.
    public var category: String?
    /// Texts for the program's own use.
    public var userInfo: [String: String] = [:]
    /// Whether the client's CDN is the base of the path.
    public var usesCDN = false
    /// The path of the file for the response's body, or its folder.
    public var downloadPath: String?
    /// Whether requests have the client's general header fields.
    public var usesGeneralFields = true
    /// Whether requests have the client's general parameters.
    public var usesGeneralParameters = true
    /// Whether calls have the client's general user info.
    public var usesGeneralUserInfo = true
    /// Attributes of requests for plugins.
    public var attributes = Attributes()

    /// Creates a definition without parameters.
    public init(_ name: String, path: String? = nil, method: Method = .get) {
        self.name = name
        self.path = path
        self.method = method
    }

    /// The definition under another name.
    public func renamed(_ name: String) -> Definition {
        var definition = self
        definition.name = name
        return definition
    }

    /// The parameter of a name, or nil.
    public func parameter(_ name: String) -> DefinedParameter? { parameters.first { $0.name == name } }
}

/// The body of a definition's requests.
public struct DefinedBody: Sendable, Equatable {
    /// The format of the body.
    public enum Form: String, Sendable {
        /// JSON of the parameters, or of a whole value.
        case json
        /// A form in percent-encoding.
        case form
        /// multipart/form-data.
        case multipart
        /// A text.
        case text
        /// Bytes.
        case raw
    }

    /// The format of the body.
    public var form: Form
    /// Its media type.
    public var contentType: String
    /// Whether a call must give it.
    public var isRequired: Bool
    /// Whether a call gives the members of the body as parameters; otherwise it gives the body as a whole.
    public var isObject: Bool

    /// Creates a body of a format.
    public init(_ form: Form, contentType: String, isRequired: Bool = false, isObject: Bool = true) {
        self.form = form
        self.contentType = contentType
        self.isRequired = isRequired
        self.isObject = isObject
    }
}

/// A security scheme of an OpenAPI document: how a server authenticates clients.
public struct SecurityScheme: Sendable, Equatable {
    /// What kind of credential is sent, and where.
    public enum Kind: Sendable, Equatable {
        /// User and password (RFC 7617).
        case basic
        /// A token (RFC 6750), also for OAuth and OpenID Connect.
        case bearer
        /// A key in a header field, a parameter of the query or a cookie.
        case key(DefinedParameter.Place, String)
    }

    /// Its name in the document, for which a program gives credentials.
    public var name: String
    /// The kind of credential.
    public var kind: Kind

    /// Creates a scheme.
    public init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }
}
