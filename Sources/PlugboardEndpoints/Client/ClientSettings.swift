import PlugboardCodecs
import PlugboardCore

/// What the requests of a client have in common. Every property has a default.
///
///     var settings = ClientSettings(base: "https://api.example.com/v2")
///     settings.fields["X-App"] = "reader"
///     settings.judge = { outcome in outcome.response?["X-Result"] == "none" ? .ignore : outcome.verdict }
///     let client = Client(kernel: kernel, settings: settings)
public struct ClientSettings: Sendable {
    /// The URL below which relative paths are; nil for none.
    public var base: String?
    /// The URL below which relative paths of endpoints with `usesCDN` are; nil for the base.
    public var cdn: String?
    /// Stands before all relative paths, below the base or the CDN.
    public var pathPrefix = ""

    /// General header fields. An endpoint's own of the same name replace them.
    public var fields = Fields()
    /// General parameters, which also fill placeholders. An endpoint's own of the same name replace them.
    public var parameters = Parameters()
    /// General user info, for the closures below.
    public var userInfo: [String: any Sendable] = [:]

    /// What writes parameters as bodies; by default the codec for JSON of `CodecSet.standard`.
    public var requestCodec: any Codec = CodecSet.standardJSON
    /// What reads bodies, chosen by content type; by default those of the process.
    public var codecs = CodecSet.standard
    /// How arrays, objects and booleans are written in queries.
    public var parameterStyle = ParameterStyle()
    /// The largest body that is collected in memory.
    public var bodyLimit = ByteCount.mebibytes(16)

    /// Edit the parameters of an endpoint, general ones included, in this order, before placeholders are filled.
    public var parameterAdapters: [ParameterAdapter] = []
    /// Edit the URL with its query, in this order.
    public var urlAdapters: [URLAdapter] = []
    /// Edit the whole request, in this order, last before it is sent. They may wait.
    public var requestAdapters: [RequestAdapter] = []

    /// Called with each outcome, in this order, before the judge: they may set the error, edit the response, and remove
    /// the error if there is a response to decode. Not called for a cancellation.
    public var responseHooks: [@Sendable (inout EndpointOutcome) -> Void] = []
    /// Decides what an outcome means; nil takes a response without an error for a success. Not called for a
    /// cancellation, for an error that a plugin ended with `ignored` or `queued`, and for a response whose status or
    /// type the endpoint does not accept: of these, `responseHooks` can remove or replace the error.
    public var judge: (@Sendable (EndpointOutcome) -> BusinessVerdict)?
    /// Called with each failure, whatever its cause, once. Returns the error to report, which may be another; nil stops
    /// the callbacks of the failure, and `send` throws `ignored`.
    public var errorHandler: (@Sendable (PlugboardError, CallContext) -> PlugboardError?)?

    /// Where callbacks run.
    public var callbackExecutor = CallbackExecutor.immediate
    /// Texts for people about errors.
    public var messages = MessageCatalog()
    /// What is done to requests while a program is developed; nil for nothing.
    public var debug: DebugBehavior?

    /// Endpoints that are called by name.
    public var definitions = Definitions()
    /// Types of responses by the names that definitions use.
    public var models = Models()
    /// Credentials for the security schemes of OpenAPI documents, by the schemes' names.
    public var credentials: [String: DefinedCredential] = [:]

    /// Settings, with all properties but these at their defaults.
    public init(base: String? = nil, cdn: String? = nil, pathPrefix: String = "") {
        self.base = base
        self.cdn = cdn
        self.pathPrefix = pathPrefix
    }
}
