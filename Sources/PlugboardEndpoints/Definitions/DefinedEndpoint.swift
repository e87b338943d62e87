import PlugboardCodecs
import PlugboardCore
import PlugboardJSON

/// An endpoint that a definition describes, with the parameters of one call.
///
/// A client makes it, so that calls, batches and chains can mix it with endpoints that are types:
///
///     let topics = client.endpoint("TopicList", ["board": "swift"], as: [Topic].self)
///
/// An unknown name, and parameters that do not fit the definition, make the call fail, and not `endpoint(_:_:)`.
public struct DefinedEndpoint<Response: Sendable>: Endpoint {
    /// The definition; without a path if the name is unknown.
    public let definition: Definition

    private let request: Result<DefinedRequest, PlugboardError>
    private let codecs: (request: (any Codec)?, response: (any Codec)?)
    private let read: @Sendable (ReceivedResponse, Definition, Client) throws(PlugboardError) -> Response

    private let attributes: Attributes

    init(
        _ name: String, _ parameters: Parameters, body: EndpointBody?, attributes: Attributes,
        in settings: ClientSettings,
        read: @escaping @Sendable (ReceivedResponse, Definition, Client) throws(PlugboardError) -> Response
    ) {
        self.read = read
        self.attributes = attributes
        definition = settings.definitions[name] ?? Definition(name)
        do throws(PlugboardError) {
            let definition = try settings.definitions.definition(name)
            let writer = try settings.codec(named: definition.requestCodec, of: definition)
            let made = try DefinedRequest(
                definition, parameters, body: body, credentials: settings.credentials,
                requestCodec: writer ?? settings.requestCodec)
            codecs = (writer, try settings.codec(named: definition.responseCodec, of: definition))
            request = .success(made)
        } catch {
            codecs = (nil, nil)
            request = .failure(error)
        }
    }

    private var made: DefinedRequest? { try? request.get() }

    /// The definition's method.
    public var method: Method { definition.method }
    /// The definition's path with its placeholders filled, and the query of parameters that have a style of their own.
    public var path: String {
        guard let made else { return "" }
        return made.query.isEmpty ? made.path : "\(made.path)?\(made.query)"
    }
    /// The definition's base URL.
    public var base: String { definition.base ?? "" }
    /// The call's parameters that are written in the client's own style.
    ///
    /// Throws `request.parameter` for an unknown name, and for parameters that do not fit the definition.
    public var parameters: Parameters { get throws(PlugboardError) { try request.get().parameters } }
    /// The names of the parameters in the query.
    public var queryParameters: Set<String> { made?.queryParameters ?? [] }
    /// The call's body, or the body that the definition makes of the parameters.
    public var body: EndpointBody { made?.body ?? .parameters }
    /// The definition's fields, with the call's parameters that are fields.
    public var fields: Fields { made?.fields ?? Fields() }
    /// The codec that the definition names for the request.
    public var requestCodec: (any Codec)? { codecs.request }

    /// The definition's value.
    public var usesCDN: Bool { definition.usesCDN }
    /// False if the definition has a base or a prefix of its own.
    public var usesPathPrefix: Bool { definition.base == nil && definition.pathPrefix == nil }
    /// The definition's value.
    public var usesGeneralFields: Bool { definition.usesGeneralFields }
    /// The definition's value.
    public var usesGeneralParameters: Bool { definition.usesGeneralParameters }
    /// The definition's value.
    public var usesGeneralUserInfo: Bool { definition.usesGeneralUserInfo }
    /// The definition's lifetime and version of cached responses.
    public var cache: CacheUse { CacheUse(timeToLive: definition.cacheTime, version: definition.cacheVersion) }
    /// The definition's validation.
    public var validation: ResponseValidation { definition.validation ?? .configured }
    /// The definition's timeouts.
    public var timeouts: Timeouts {
        let options = definition.options
        return Timeouts(
            total: options.timeout, connect: options.connectTimeout, idle: options.idleTimeout,
            attempt: options.attemptTimeout)
    }
    /// The client's credentials for the security schemes of the definition.
    public var credentials: Credentials { made?.credentials ?? .configured }

    /// The definition's name.
    public var identifier: String { definition.name }
    /// The definition's group.
    public var group: String { definition.group ?? "" }
    /// The definition's tag.
    public var tag: String { definition.tag ?? "" }
    /// The definition's category.
    public var category: String { definition.category ?? "" }
    /// The definition's user info.
    public var userInfo: [String: any Sendable] { definition.userInfo }

    /// The definition's name.
    public var endpointName: String { definition.name }

    /// The codec that the definition names for the response.
    public var responseCodec: (any Codec)? { codecs.response }
    /// The definition's statuses; 200 to 299 by default.
    public var acceptableStatuses: StatusSet {
        guard let ranges = definition.acceptableStatuses else { return .successful }
        let bounded = ranges.map { $0.clamped(to: 0...999) }
        if bounded.count == 1, let range = bounded.first { return .range(Range(range)) }
        return .list(Set(bounded.joined()))
    }
    /// The definition's media types.
    public var acceptableTypes: [String] { definition.acceptableTypes }
    /// The definition's path.
    public var downloadPath: String { definition.downloadPath ?? "" }

    /// Adds the attributes of the call, and the definition's attributes that the call does not set.
    public func prepare(_ request: inout Request) throws(PlugboardError) {
        for (name, value) in attributes.values { request.attributes[name] = value }
        for (name, value) in definition.attributes.values where request.attributes[name] == nil {
            request.attributes[name] = value
        }
    }

    /// The value, as the definition and the type of the response describe it.
    public func decode(_ response: ReceivedResponse, in client: Client) throws(PlugboardError) -> Response {
        try read(response, definition, client)
    }
}

extension ClientSettings {
    /// A codec of the client, or else a standard one. Throws `configuration`, with the most similar name.
    func codec(named name: String?, of definition: Definition) throws(PlugboardError) -> (any Codec)? {
        guard let name else { return nil }
        let known = CodecSet([requestCodec] + codecs.codecs + CodecSet.standard.codecs)
        if let codec = known[name] { return codec }
        let names = known.codecs.map(\.name)
        let near = Spelling.nearest(name, in: names).map { "Did you mean \($0)?" }
        throw PlugboardError(
            .configuration,
            "\(Printable.text(definition.name)) names the codec \(Printable.text(name)), which the client does not have. "
                + (near ?? "Add it to ClientSettings.codecs."))
    }
}
