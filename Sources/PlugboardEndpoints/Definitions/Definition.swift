public import PlugboardJSON
public import PlugboardKit

/// An endpoint as data: what a call of its name sends, and what it expects.
///
/// It is read from a file (`Definitions`), or made in code:
///
///     var definition = Definition("TopicList", path: "boards/{board}/topics")
///     definition.parameters = [DefinedParameter("page", .query)]
public struct Definition: Sendable {
    /// What is expected as the response.
    public enum Expectation: String, Sendable, CaseIterable {
        /// Nothing: the body is not read.
        case none
        /// The response as it comes.
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
    /// GET by default.
    public var method = Method.get
    /// The absolute URL that the path begins at; nil for the client's.
    public var base: String?
    /// Stands between the base and the path.
    public var pathPrefix: String?
    /// With `{placeholders}`; nil in a definition that others refine, and that cannot be called.
    public var path: String?
    /// Header fields of each request.
    public var fields = Fields()
    /// Parameters of the query with fixed values.
    public var query: JSONObject = [:]
    /// The parameters that a call may give.
    public var parameters: [DefinedParameter] = []
    /// Whether a call may give other parameters than `parameters`; nil: if these name none beside the path's.
    public var takesOtherParameters: Bool?
    /// What the body of requests is; nil: what the method and the codec make of the parameters.
    public var body: DefinedBody?
    /// Whether requests need authorization; nil if nothing is known. False sends requests without the credentials of
    /// the plugin authentication.
    public var needsAuthorization: Bool?
    /// Header fields of requests that need authorization.
    public var authorizationFields = Fields()
    /// Parameters of the query of requests that need authorization.
    public var authorizationQuery: JSONObject = [:]
    /// Security schemes of which one entry, with all its schemes, is enough; an empty entry needs none.
    public var security: [[SecurityScheme]] = []
    /// The name of the codec that writes the body; nil for the client's.
    public var requestCodec: String?
    /// The name of the codec that reads the response; nil: by its content type.
    public var responseCodec: String?
    /// What is expected; nil: what the response's content type says.
    public var response: Expectation?
    /// The name of the type of the response's value, among the client's models.
    public var responseType: String?
    /// Whether the response's value is JSON where the client has no type of this name, as for types of OpenAPI
    /// documents; otherwise the call fails.
    public var isResponseTypeOptional = false
    /// The media types that the response may have; empty for all.
    public var acceptableTypes: [String] = []
    /// The statuses that the response may have; nil for the client's.
    public var acceptableStatuses: [ClosedRange<Int>]?
    /// How long the response is fresh in the cache; nil for what the response says.
    public var cacheTime: Duration?
    /// The version of the cached response; others are not used.
    public var cacheVersion: String?
    /// What the plugin `validator` checks the response against; nil for what its settings say.
    public var validation: ResponseValidation?
    /// How requests are sent: the timeouts.
    public var options = RequestOptions()
    /// For finding and cancelling calls.
    public var tag: String?
    /// For finding and cancelling calls.
    public var group: String?
    /// For finding and cancelling calls.
    public var category: String?
    /// Facts for the program's own use.
    public var userInfo: [String: String] = [:]
    /// Whether the path begins at the client's CDN.
    public var usesCDN = false
    /// The file that the response's body is written to, or its folder.
    public var downloadPath: String?
    /// Whether requests have the client's general header fields.
    public var usesGeneralFields = true
    /// Whether requests have the client's general parameters.
    public var usesGeneralParameters = true
    /// Whether calls have the client's general user info.
    public var usesGeneralUserInfo = true
    /// What requests say to plugins.
    public var attributes = Attributes()

    /// A definition without parameters.
    public init(_ name: String, path: String? = nil, method: Method = .get) {
        self.name = name
        self.path = path
        self.method = method
    }

    /// The same under another name.
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
    /// How the body's bytes are made.
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

    /// How its bytes are made.
    public var form: Form
    /// Its media type.
    public var contentType: String
    /// Whether a call must give it.
    public var isRequired: Bool
    /// Whether it is an object whose members a call gives as parameters; else it is given as a whole.
    public var isObject: Bool

    /// A body of a form.
    public init(_ form: Form, contentType: String, isRequired: Bool = false, isObject: Bool = true) {
        self.form = form
        self.contentType = contentType
        self.isRequired = isRequired
        self.isObject = isObject
    }
}

/// How a server checks who asks, as an OpenAPI document says it.
public struct SecurityScheme: Sendable, Equatable {
    /// What kind of credential is sent, and where.
    public enum Kind: Sendable, Equatable {
        /// User and password (RFC 7617).
        case basic
        /// A token (RFC 6750); OAuth and OpenID Connect too.
        case bearer
        /// A key in a header field, a parameter of the query or a cookie.
        case key(DefinedParameter.Place, String)
    }

    /// Its name in the document, which credentials are given for.
    public var name: String
    /// What kind of credential it is.
    public var kind: Kind

    /// A scheme of a name.
    public init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }
}
