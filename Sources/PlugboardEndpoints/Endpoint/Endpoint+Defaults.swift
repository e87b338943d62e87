import PlugboardCodecs
import PlugboardCore
public import PlugboardDownloads

extension Endpoint {
    /// GET.
    public var method: Method { .get }
    /// The client's base.
    public var base: String { "" }
    /// None.
    public var parameters: Parameters { Parameters() }
    /// None.
    public var queryParameters: Set<String> { [] }
    /// Makes the body of the parameters.
    public var body: EndpointBody { .parameters }
    /// None.
    public var fields: Fields { Fields() }
    /// Nil for the client's codec.
    public var requestCodec: (any Codec)? { nil }

    /// False.
    public var usesCDN: Bool { false }
    /// True.
    public var usesPathPrefix: Bool { true }
    /// True.
    public var usesGeneralFields: Bool { true }
    /// True.
    public var usesGeneralParameters: Bool { true }
    /// True.
    public var usesGeneralUserInfo: Bool { true }
    /// True.
    public var usesAdapters: Bool { true }
    /// True.
    public var usesCookies: Bool { true }
    /// The settings of the plugin.
    public var cache: CacheUse { CacheUse() }
    /// The settings of the plugin `validator`.
    public var validation: ResponseValidation { .configured }
    /// The kernel's timeouts.
    public var timeouts: Timeouts { Timeouts() }
    /// The credentials of the configuration.
    public var credentials: Credentials { .configured }
    /// Zero, for the settings of the plugin `retry`.
    public var attempts: Int { 0 }

    /// The name of the type.
    public var endpointName: String { "\(Self.self)" }
    /// Empty.
    public var identifier: String { "" }
    /// Empty.
    public var group: String { "" }
    /// Empty.
    public var tag: String { "" }
    /// Empty.
    public var category: String { "" }
    /// None.
    public var userInfo: [String: any Sendable] { [:] }
    /// The client's behaviour.
    public var debug: DebugBehavior { .client }
    /// Normal priority.
    public var priority: CallPriority { .normal }

    /// Nil for the codec of the content type.
    public var responseCodec: (any Codec)? { nil }
    /// 200 to 299.
    public var acceptableStatuses: StatusSet { .successful }
    /// Any.
    public var acceptableTypes: [String] { [] }
    /// Zero, for the client's limit.
    public var bodyLimit: ByteCount { .bytes(0) }
    /// Empty.
    public var downloadPath: String { "" }

    /// Nil, so that the properties describe the request.
    public func customRequest() throws(PlugboardError) -> Request? { nil }
    /// Does nothing.
    public func prepare(_ request: inout Request) throws(PlugboardError) {}
    /// Does nothing.
    public func prepare(_ download: inout Download) throws(PlugboardError) {}
    /// Does nothing.
    public func transform(_ response: inout ReceivedResponse) throws(PlugboardError) {}
    /// Does nothing.
    public func validate(_ response: ReceivedResponse) throws(PlugboardError) {}
    /// Does nothing.
    public func validate(value: Response) throws(PlugboardError) {}
}

extension Endpoint where Self: Encodable {
    /// The properties that `encode(to:)` writes, except those that implement a requirement of `Endpoint`.
    public var parameters: Parameters {
        get throws(PlugboardError) {
            var parameters = try Parameters(encoding: self)
            EndpointCheck.removeRequirements(of: self, from: &parameters)
            return parameters
        }
    }
}
