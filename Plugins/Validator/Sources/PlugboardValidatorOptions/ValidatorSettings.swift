import PlugboardKit

/// The settings of the plugin `validator`, for configurations and for programs in code.
///
///     .validator { $0.schemas = ["GET https://api.example.com/users/*": "user.json"] }
public struct ValidatorSettings: PluginSettings {
    /// Schemas of responses by rule, as files or JSON.
    @Setting("Schemas of responses by rule, as files or JSON.")
    public var schemas: [String: String] = [:]
    /// Shapes of responses by rule, as files or JSON; rules of schemas come first.
    @Setting("Shapes of responses by rule, as files or JSON; rules of schemas come first.")
    public var shapes: [String: String] = [:]
    /// Schemas of request bodies by rule, as files or JSON.
    @Setting("Schemas of request bodies by rule, as files or JSON.")
    public var requests: [String: String] = [:]
    /// Documents that schemas refer to, by URI, as files or JSON.
    @Setting("Documents that schemas refer to, by URI, as files or JSON.")
    public var documents: [String: String] = [:]
    /// OpenAPI documents (3.0, 3.1) whose operations have schemas of their responses, as files or JSON.
    @Setting("OpenAPI documents (3.0, 3.1) whose operations have schemas of their responses, as files or JSON.")
    public var openapi: [String] = []
    /// Whether the bodies of requests are checked against the OpenAPI documents, too.
    @Setting("Whether the bodies of requests are checked against the OpenAPI documents, too.")
    public var checksOperationRequests = false
    /// What happens to a body that is not valid: strict fails the exchange, warn logs it, off does not check.
    @Setting("What happens to a body that is not valid: strict fails the exchange, warn logs it, off does not check.")
    public var mode = ValidatorMode.strict
    /// The draft of schemas without $schema.
    @Setting("The draft of schemas without $schema.")
    public var draft = ValidatorDraft.draft2020
    /// Also checks format, which is an annotation by default.
    @Setting("Also checks format, which is an annotation by default.")
    public var formats = false
    /// Whether contentEncoding and contentMediaType are checked in draft 7, which asserts them.
    @Setting("Whether contentEncoding and contentMediaType are checked in draft 7, which asserts them.")
    public var contents = true
    /// The largest body that is checked.
    @Setting("The largest body that is checked.")
    public var limit = ByteCount.mebibytes(16)
    /// Whether a larger body passes unchecked instead of failing.
    @Setting("Whether a larger body passes unchecked instead of failing.")
    public var passesLarger = false
    /// Whether the program reads a response while it is checked; one that is not valid then breaks off.
    @Setting("Whether the program reads a response while it is checked; one that is not valid then breaks off.")
    public var streams = false
    /// Quotes values of bodies, up to 128 bytes each, in errors, events and the log.
    @Setting("Quotes values of bodies, up to 128 bytes each, in errors, events and the log.")
    public var showsValues = false
    /// Whether responses that the cache has stored are checked, too.
    @Setting("Whether responses that the cache has stored are checked, too.")
    public var stored = true
    /// The beginnings of URLs of documents that may be fetched when a schema refers to them; empty: none.
    @Setting("The beginnings of URLs of documents that may be fetched when a schema refers to them; empty: none.")
    public var fetch: [String] = []
    /// The size of the largest document that is fetched.
    @Setting("The size of the largest document that is fetched.")
    public var fetchSize = ByteCount.mebibytes(1)
    /// The most documents that are fetched for one schema.
    @Setting("The most documents that are fetched for one schema.", in: 1...1000)
    public var fetchCount = 32

    /// All settings at their defaults.
    public init() {}
}

/// What happens to a body that is not valid.
public enum ValidatorMode: String, WordOption {
    /// The exchange fails.
    case strict
    /// A line in the log and an event; the body passes.
    case warn
    /// Nothing is checked.
    case off
}

/// A version of JSON Schema.
public enum ValidatorDraft: String, WordOption {
    /// Draft 4.
    case draft4
    /// Draft 6.
    case draft6
    /// Draft 7.
    case draft7
    /// 2019-09.
    case draft2019 = "draft2019-09"
    /// 2020-12.
    case draft2020 = "draft2020-12"
}
