import PlugboardCodecs
import PlugboardCore

/// Sends endpoints by a kernel, with what they have in common.
///
///     let client = Client(kernel: kernel, settings: ClientSettings(base: "https://api.example.com"))
///     let topics = try await client.send(TopicList(board: "swift"))
///
/// A program may have several clients on one kernel, one for each service. From any task.
public final class Client: Sendable {
    /// The kernel that sends the requests.
    public let kernel: Kernel
    /// What the requests have in common.
    public let settings: ClientSettings
    /// The calls that have not ended.
    public let calls = CallRegistry()

    /// The base and the CDN with the prefix.
    let base: EndpointURL.Base?
    let cdn: EndpointURL.Base?
    /// Whether hooks or a judge are asked about outcomes.
    let isJudged: Bool

    /// A client.
    public init(kernel: Kernel, settings: ClientSettings = ClientSettings()) {
        self.kernel = kernel
        self.settings = settings
        base = settings.base.map { EndpointURL.Base($0, settings.pathPrefix) }
        cdn = settings.cdn.map { EndpointURL.Base($0, settings.pathPrefix) }
        isJudged = !settings.responseHooks.isEmpty || settings.judge != nil
    }

    /// Sends an endpoint and returns its value.
    ///
    /// Cancelling the task cancels the request and throws `cancelled`. A response that the judge ignores throws
    /// `ignored`.
    public nonisolated(nonsending) func send<E: Endpoint>(
        _ endpoint: E
    ) async throws(PlugboardError) -> E.Response {
        try await perform(endpoint, labels: nil, control: nil)
    }

    /// Makes a call of an endpoint and starts it.
    ///
    /// - Parameters:
    ///   - labels: The names by which the call is found; nil for those of the endpoint.
    ///   - executor: Where its callbacks run; nil for the client's executor.
    ///   - debug: A delay or a failure of this call; nil for that of the endpoint or of the client.
    ///   - isStarted: False makes a call that waits for `start`.
    @discardableResult
    public func call<E: Endpoint>(
        _ endpoint: E, labels: CallLabels? = nil, executor: CallbackExecutor? = nil, debug: DebugBehavior? = nil,
        isStarted: Bool = true
    ) -> Call<E.Response> {
        let call = makeCall(endpoint, labels, executor, debug: debug)
        if isStarted { call.start() }
        return call
    }

    /// A call that waits for `start`.
    ///
    /// - Parameter isPart: Whether a batch or a chain makes it.
    func makeCall<E: Endpoint>(
        _ endpoint: E, _ labels: CallLabels? = nil, _ executor: CallbackExecutor? = nil, debug: DebugBehavior? = nil,
        isPart: Bool = false
    ) -> Call<E.Response> {
        let labels = labels ?? CallLabels(endpoint, settings.userInfo)
        return Call<E.Response>(
            labels: labels, origin: origin(of: endpoint), executor: executor ?? settings.callbackExecutor,
            registry: calls, catalog: settings.messages, isPart: isPart
        ) { [self] control throws(PlugboardError) in
            try await perform(endpoint, labels: labels, control: control, debug: debug)
        }
    }

    /// A call whose work is a batch or a chain.
    func makeCall<Value: Sendable>(
        _ labels: CallLabels, _ executor: CallbackExecutor?, _ work: @escaping Call<Value>.Work
    ) -> Call<Value> {
        Call<Value>(
            labels: labels, executor: executor ?? settings.callbackExecutor, registry: calls,
            catalog: settings.messages, work: work)
    }

    /// Where an endpoint's request goes, as far as that is known before it is made.
    private func origin<E: Endpoint>(of endpoint: E) -> Origin? {
        if let origin = Origin(url: endpoint.path) { return origin }
        if !endpoint.base.isEmpty { return Origin(url: endpoint.base) }
        return (endpoint.usesCDN ? settings.cdn ?? settings.base : settings.base).flatMap { Origin(url: $0) }
    }
}
