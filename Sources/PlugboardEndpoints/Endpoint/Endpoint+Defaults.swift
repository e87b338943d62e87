import PlugboardCodecs
import PlugboardCore
public import PlugboardDownloads

extension Endpoint {
    /// GET.
    public var method: Method { .get }
    /// The client's.
    public var base: String { "" }
    /// None.
    public var parameters: Parameters { Parameters() }
    /// None.
    public var queryParameters: Set<String> { [] }
    /// Made of the parameters.
    public var body: EndpointBody { .parameters }
    /// None.
    public var fields: Fields { Fields() }
    /// Nil.
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
    /// Nothing.
    public var cache: CacheUse { CacheUse() }
    /// What the settings say.
    public var validation: ResponseValidation { .configured }
    /// The kernel's.
    public var timeouts: Timeouts { Timeouts() }
    /// Those of the configuration.
    public var credentials: Credentials { .configured }
    /// 0.
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
    /// The client's.
    public var debug: DebugBehavior { .client }
    /// Normal.
    public var priority: CallPriority { .normal }

    /// Nil.
    public var responseCodec: (any Codec)? { nil }
    /// 200 to 299.
    public var acceptableStatuses: StatusSet { .successful }
    /// Any.
    public var acceptableTypes: [String] { [] }
    /// The client's.
    public var bodyLimit: ByteCount { .bytes(0) }
    /// Empty.
    public var downloadPath: String { "" }

    /// Nil.
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
    /// The properties that `encode(to:)` writes, without those that set a requirement of `Endpoint`.
    public var parameters: Parameters {
        get throws(PlugboardError) {
            var parameters = try Parameters(encoding: self)
            EndpointCheck.removeRequirements(of: self, from: &parameters)
            return parameters
        }
    }
}
