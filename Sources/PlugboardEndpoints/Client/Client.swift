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

    /// A client.
    public init(kernel: Kernel, settings: ClientSettings = ClientSettings()) {
        self.kernel = kernel
        self.settings = settings
        base = settings.base.map { EndpointURL.Base($0, settings.pathPrefix) }
        cdn = settings.cdn.map { EndpointURL.Base($0, settings.pathPrefix) }
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
    ///   - isStarted: False makes a call that waits for `start`.
    @discardableResult
    public func call<E: Endpoint>(
        _ endpoint: E, labels: CallLabels? = nil, executor: CallbackExecutor? = nil, isStarted: Bool = true
    ) -> Call<E.Response> {
        let labels = labels ?? CallLabels(endpoint, settings.userInfo)
        let call = Call<E.Response>(
            labels: labels, executor: executor ?? settings.callbackExecutor, registry: calls,
            catalog: settings.messages
        ) { [self] control throws(PlugboardError) in
            try await perform(endpoint, labels: labels, control: control)
        }
        if isStarted { call.start() }
        return call
    }
}
