import PlugboardCodecs
import PlugboardCore

/// Sends endpoints through a kernel, with common settings.
///
///     let client = Client(kernel: kernel, settings: ClientSettings(base: "https://api.example.com"))
///     let topics = try await client.send(TopicList(board: "swift"))
///
/// A program may have several clients on one kernel, one for each service. Can be called from any task.
public final class Client: Sendable {
    /// The kernel that sends the requests.
    public let kernel: Kernel
    /// The calls that have not ended.
    public let calls: CallRegistry
    /// The settings of this object, which never change.
    let state: ClientState
    /// The settings that `update` changes, shared by this object and those that `current` makes of it.
    private let latest: LatestClientState

    /// Creates a client.
    public init(kernel: Kernel, settings: ClientSettings = ClientSettings()) {
        self.kernel = kernel
        calls = CallRegistry()
        state = ClientState(settings)
        latest = LatestClientState(state)
    }

    private init(_ client: Client, _ state: ClientState) {
        (kernel, calls, latest) = (client.kernel, client.calls, client.latest)
        self.state = state
    }

    /// The common settings of the requests.
    public var settings: ClientSettings { latest.state.withLock { $0 }.settings }

    /// Changes the settings of later requests. A request that has begun, or whose endpoint was made from a definition,
    /// keeps its settings, and a call keeps its executor.
    ///
    ///     client.update { $0.fields["Authorization"] = "Bearer \(token)" }
    public func update(_ change: (inout ClientSettings) throws -> Void) rethrows {
        try latest.state.withLock { state in
            var settings = state.settings
            try change(&settings)
            state = ClientState(settings)
        }
    }

    /// This client with its latest settings, which one request uses from beginning to end.
    var current: Client {
        let state = latest.state.withLock { $0 }
        return state === self.state ? self : Client(self, state)
    }

    /// Sends an endpoint and returns its value.
    ///
    /// Cancelling the task cancels the request and throws `cancelled`. A response that the judge ignores throws
    /// `ignored`.
    public nonisolated(nonsending) func send<E: Endpoint>(
        _ endpoint: E
    ) async throws(PlugboardError) -> E.Response {
        try await current.perform(endpoint, labels: nil, control: nil)
    }

    /// Makes a call of an endpoint and starts it.
    ///
    /// - Parameters:
    ///   - labels: The names by which the call is found; nil for those of the endpoint.
    ///   - executor: Where its callbacks run; nil for the client's executor.
    ///   - debug: A delay or a failure for this call; nil for that of the endpoint or of the client.
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

    /// Makes a call that waits for `start`.
    ///
    /// - Parameter isPart: Whether a batch or a chain makes it.
    func makeCall<E: Endpoint>(
        _ endpoint: E, _ labels: CallLabels? = nil, _ executor: CallbackExecutor? = nil, debug: DebugBehavior? = nil,
        isPart: Bool = false
    ) -> Call<E.Response> {
        let state = latest.state.withLock { $0 }
        let settings = state.settings
        let labels = labels ?? CallLabels(endpoint, settings.userInfo)
        return Call<E.Response>(
            labels: labels, target: state.target(of: endpoint), executor: executor ?? settings.callbackExecutor,
            registry: calls, kernel: kernel, catalog: settings.messages, isPart: isPart
        ) { [self] control throws(PlugboardError) in
            try await current.perform(endpoint, labels: labels, control: control, debug: debug)
        }
    }

    /// Makes a call whose work is a batch or a chain.
    func makeCall<Value: Sendable>(
        _ labels: CallLabels, _ executor: CallbackExecutor?, _ work: @escaping Call<Value>.Work
    ) -> Call<Value> {
        let settings = settings
        return Call<Value>(
            labels: labels, executor: executor ?? settings.callbackExecutor, registry: calls, kernel: kernel,
            catalog: settings.messages, work: work)
    }
}
