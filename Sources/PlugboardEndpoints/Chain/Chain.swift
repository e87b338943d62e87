import PlugboardCore
import Synchronization

/// Requests that are sent one after the other, each made from the responses so far.
///
///     let results = try await Chain(client)
///         .step("account") { _ in Register(name: "Ada") }
///         .step("profile") { chain in Profile(id: try chain.value("account", as: Account.self).id) }
///         .perform { chain in
///             if try chain.value(of: Profile.self).isNew { chain.stop() }          // begins no further step
///         }
///         .results
///
/// A step whose closure returns nil is skipped. Steps can be added while the chain runs, by its steps or from outside.
/// The first failure ends the chain, and the reason of its error names the step. A chain runs once, as a `Call` with
/// callbacks and labels of its own (`start()`); its steps are calls too, with the labels of their endpoints.
public final class Chain: Sendable, CustomStringConvertible {
    private let client: Client
    private let labels: CallLabels
    private let executor: CallbackExecutor?
    private let run: ChainRun
    private let call = Mutex<Call<ChainResults>?>(nil)

    /// Creates a chain without steps.
    ///
    /// - Parameters:
    ///   - labels: The names by which the chain itself is found.
    ///   - executor: Where its callbacks run; nil for the client's executor.
    public init(_ client: Client, labels: CallLabels = CallLabels(), executor: CallbackExecutor? = nil) {
        self.client = client
        self.labels = labels
        self.executor = executor
        run = ChainRun(client)
    }

    /// Adds a step at the end, also while the chain runs. Does nothing if the chain has ended.
    ///
    /// - Parameters:
    ///   - name: The name in results and errors; nil for the name of the endpoint's type.
    ///   - make: Makes the endpoint when the step begins; nil skips the step. If it throws, the step fails.
    @discardableResult
    public func step<E: Endpoint>(_ name: String? = nil, _ make: @escaping ChainRun.MakeEndpoint<E>) -> Self {
        run.add(name, make)
        return self
    }

    /// Adds a step without a request, to look at the values so far, stop the chain or add steps. If it throws, the step
    /// fails.
    @discardableResult
    public func perform(
        _ name: String = "perform", _ work: @escaping @Sendable (ChainRun) async throws -> Void
    ) -> Self {
        run.add(performing: name, work)
        return self
    }

    /// Called when a step has succeeded or was skipped, before the next one. May stop the chain and add steps.
    @discardableResult
    public func onStep(_ observer: @escaping @Sendable (ChainRun, ChainStep) -> Void) -> Self {
        run.observe(observer)
        return self
    }

    /// Starts the chain once, and returns its call for callbacks and control.
    @discardableResult
    public func start() -> Call<ChainResults> {
        let call = made
        call.start()
        return call
    }

    /// Runs the chain, and returns the values of its steps.
    ///
    /// Throws the error of the step that failed. Cancelling the task cancels the chain.
    public var results: ChainResults {
        get async throws(PlugboardError) { try await start().value }
    }

    /// The step that failed; nil if none has.
    public var failedStep: ChainStep? { run.failedStep }

    /// Begins no further step: the chain succeeds with the values so far. A step under way is not cancelled.
    public func stop() { run.stop() }

    /// Ends the chain at once, and cancels the step under way.
    public func cancel() { made.cancel() }

    /// One line with the number of its call, its labels, its steps and its state.
    public var description: String {
        let call = call.withLock { $0 }
        let parts = ["chain\(call.map { " \($0.id)" } ?? "")"] + labels.texts + [run.position]
        let failed = failedStep.map { " at step \"\(Printable.text($0.name))\"" } ?? ""
        return "\(parts.joined(separator: ", ")): \(call?.state ?? .waiting)\(failed)"
    }

    /// The call. It is created at its first use, because the client's registry lists a call until it ends.
    private var made: Call<ChainResults> {
        call.withLock { call in
            if let call { return call }
            let new = client.makeCall(labels, executor) { [run] control throws(PlugboardError) in
                try await run.run(control)
            }
            call = new
            return new
        }
    }
}
