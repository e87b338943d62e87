import PlugboardCodecs
import PlugboardCore

/// Common settings of the requests of a client. Every property has a default.
///
///     var settings = ClientSettings(base: "https://api.example.com/v2")
///     settings.fields["X-App"] = "reader"
///     settings.judge = { outcome in outcome.response?["X-Result"] == "none" ? .ignore : outcome.verdict }
///     let client = Client(kernel: kernel, settings: settings)
public struct ClientSettings: Sendable {
    /// The base URL of relative paths; nil for none.
    public var base: String?
    /// The base URL of relative paths of endpoints with `usesCDN`; nil for `base`.
    public var cdn: String?
    /// A prefix of all relative paths, after the base or the CDN.
    public var pathPrefix = ""

    /// General header fields. An endpoint's own fields replace those of the same name.
    public var fields = Fields()
    /// General parameters, which also fill placeholders. An endpoint's own parameters replace those of the same name.
    public var parameters = Parameters()
    /// General user info for the closures below.
    public var userInfo: [String: any Sendable] = [:]

    /// The codec that writes parameters as bodies; by default the codec for JSON of `CodecSet.standard`.
    public var requestCodec: any Codec = CodecSet.standardJSON
    /// The codecs that read bodies, chosen by content type; by default `CodecSet.standard`.
    public var codecs = CodecSet.standard
    /// How arrays, objects and booleans are written in queries.
    public var parameterStyle = ParameterStyle()
    /// The largest body that is collected in memory.
    public var bodyLimit = ByteCount.mebibytes(16)

    /// Edit the parameters of an endpoint, including general ones, in this order, before placeholders are filled.
    public var parameterAdapters: [ParameterAdapter] = []
    /// Edit the URL with its query, in this order.
    public var urlAdapters: [URLAdapter] = []
    /// Edit the whole request, in this order, after all other adapters. They may be asynchronous.
    public var requestAdapters: [RequestAdapter] = []

    /// Called with each outcome, in this order, before the judge. They may set the error, edit the response, and remove
    /// the error if there is a response to decode. Not called for a cancellation.
    public var responseHooks: [@Sendable (inout EndpointOutcome) -> Void] = []
    /// Decides what an outcome means; nil treats a response without an error as a success. Not called for a
    /// cancellation, for an error with the code `ignored` or `queued` from a plugin, and for a response whose status or
    /// type the endpoint does not accept: the error of the latter can be removed or replaced by `responseHooks`.
    public var judge: (@Sendable (EndpointOutcome) -> BusinessVerdict)?
    /// Called once with each failure, whatever its cause. Returns the error to report, which may be a different one;
    /// nil suppresses the callbacks of the failure, and `send` throws `ignored`.
    public var errorHandler: (@Sendable (PlugboardError, CallContext) -> PlugboardError?)?

    /// The executor of callbacks.
    public var callbackExecutor = CallbackExecutor.immediate
    /// Texts about errors for people.
    public var messages = MessageCatalog()
    /// Delays or failures of requests during development; nil for none.
    public var debug: DebugBehavior?

    /// Endpoints that are called by name.
    public var definitions = Definitions()
    /// Types of responses, by the names that definitions use.
    public var models = Models()
    /// Credentials for the security schemes of OpenAPI documents, by the schemes' names.
    public var credentials: [String: DefinedCredential] = [:]

    /// Creates settings; all other properties have their defaults.
    public init(base: String? = nil, cdn: String? = nil, pathPrefix: String = "") {
        self.base = base
        self.cdn = cdn
        self.pathPrefix = pathPrefix
    }
}
