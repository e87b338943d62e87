import PlugboardCore
import Synchronization

/// A running chain as its steps use it: the values so far, and the steps that follow.
public final class ChainRun: CallFollower, CustomStringConvertible {
    /// Makes the endpoint of a step; nil skips the step.
    public typealias MakeEndpoint<E: Endpoint> = @Sendable (ChainRun) async throws -> E?

    private struct PlannedStep: Sendable {
        let name: String
        /// Sends the step's request; does nothing for a step that is skipped.
        let perform: @Sendable (ChainRun, ChainStep) async throws(PlugboardError) -> Void
    }

    private struct State {
        /// A slice, whose first element is removed without moving the others.
        var planned: ArraySlice<PlannedStep> = []
        /// Steps that the current step has inserted, in their order.
        var inserted: ArraySlice<PlannedStep> = []
        /// Steps that earlier steps have inserted, which come before the planned ones, in reverse order.
        var ahead: [PlannedStep] = []
        var begun = 0
        var results = ChainResults()
        var isStopped = false
        var isSuspended = false
        var hasEnded = false
        var failed: ChainStep?
        var current: (any AnyCall)?
        var observers: [@Sendable (ChainRun, ChainStep) -> Void] = []
    }

    private let client: Client
    private let state = Mutex(State())

    init(_ client: Client) { self.client = client }

    /// The values of the steps that have succeeded so far.
    public var results: ChainResults { state.withLock { $0.results } }

    /// The step that failed; nil if none has.
    public var failedStep: ChainStep? { state.withLock { $0.failed } }

    /// One line with the current step of the chain.
    public var description: String { "chain, \(position)" }

    /// The step under way; before the start the number of steps, after the end the number of steps that have begun.
    var position: String {
        state.withLock { state in
            let known = state.begun + state.planned.count + state.inserted.count + state.ahead.count
            if state.begun > 0, !state.hasEnded { return "step \(state.begun) of \(known)" }
            return known == 1 ? "1 step" : "\(known) steps"
        }
    }

    /// The value of the last step that sent an endpoint of that type. Throws `request.parameter` if no such step has
    /// succeeded.
    public func value<E: Endpoint>(of endpoint: E.Type) throws(PlugboardError) -> E.Response {
        if let value = results.value(of: endpoint) { return value }
        throw PlugboardError(
            .requestParameter, "The chain has no value of \(endpoint): no step that sends one has succeeded so far.")
    }

    /// The value of the last step with that name. Throws `request.parameter` if no such step has succeeded, or if the
    /// value has another type.
    public func value<Value>(_ name: String, as type: Value.Type = Value.self) throws(PlugboardError) -> Value {
        try results.value(name, as: type)
    }

    /// Begins no further step: the chain succeeds with the values so far. A step under way is not cancelled.
    public func stop() {
        state.withLock { state in
            if !state.hasEnded { state.isStopped = true }
        }
    }

    /// Adds a step at the end. Does nothing if the chain has ended.
    public func add<E: Endpoint>(_ name: String? = nil, _ make: @escaping MakeEndpoint<E>) {
        plan(name, make, \.planned)
    }

    /// Adds a step after the current one and the steps inserted since it began.
    public func insert<E: Endpoint>(_ name: String? = nil, _ make: @escaping MakeEndpoint<E>) {
        plan(name, make, \.inserted)
    }

    /// Adds a step without a request at the end.
    func add(performing name: String, _ work: @escaping @Sendable (ChainRun) async throws -> Void) {
        plan(
            PlannedStep(name: name) { run, _ throws(PlugboardError) in
                do { try await work(run) } catch { throw PlugboardError(thrownBy: "The step's closure", error) }
            }, \.planned)
    }

    func observe(_ observer: @escaping @Sendable (ChainRun, ChainStep) -> Void) {
        state.withLock { state in
            if !state.hasEnded { state.observers.append(observer) }
        }
    }

    private func plan<E: Endpoint>(
        _ name: String?, _ make: @escaping MakeEndpoint<E>,
        _ place: WritableKeyPath<State, ArraySlice<PlannedStep>> & Sendable
    ) {
        let planned = PlannedStep(name: name ?? "\(E.self)") { run, step throws(PlugboardError) in
            let made: E?
            do { made = try await make(run) } catch { throw PlugboardError(thrownBy: "The step's closure", error) }
            guard let endpoint = made else { return }
            let value = try await run.send(endpoint)
            run.state.withLock { $0.results.add(value, of: step, E.self) }
        }
        plan(planned, place)
    }

    private func plan(_ step: PlannedStep, _ place: WritableKeyPath<State, ArraySlice<PlannedStep>> & Sendable) {
        state.withLock { state in
            if !state.hasEnded { state[keyPath: place].append(step) }
        }
    }

    // MARK: Running

    /// Runs all steps, one after the other.
    func run(_ control: any CallControl) async throws(PlugboardError) -> ChainResults {
        control.lead(self)
        defer { release() }
        while let (planned, step) = next() {
            if Task.isCancelled { throw PlugboardError(.cancelled, "The chain was cancelled.") }
            do throws(PlugboardError) {
                try await planned.perform(self, step)
            } catch {
                // A cancellation, for example, is not a failure of the step.
                if CallState(error) == .failed { state.withLock { $0.failed = step } }
                throw error.of("The step \"\(step.name)\", number \(step.index + 1) of the chain, failed")
            }
            for observer in state.withLock({ $0.observers }) { observer(self, step) }
        }
        return results
    }

    /// Removes and returns the next step; nil at the end.
    private func next() -> (PlannedStep, ChainStep)? {
        state.withLock { state in
            state.ahead += state.inserted.reversed()
            state.inserted = []
            let hasNext = !state.ahead.isEmpty || !state.planned.isEmpty
            guard !state.isStopped, let step = state.ahead.popLast() ?? state.planned.popFirst() else {
                state.results.isStopped = hasNext
                // No step can be added from now on, because it would not run.
                state.hasEnded = true
                return nil
            }
            defer { state.begun += 1 }
            return (step, ChainStep(name: step.name, index: state.begun))
        }
    }

    private func send<E: Endpoint>(_ endpoint: E) async throws(PlugboardError) -> E.Response {
        let call = client.makeCall(endpoint, isPart: true)
        state.withLock { state in
            state.current = call
            if state.isSuspended { call.suspend() }
        }
        defer { state.withLock { $0.current = nil } }
        return try await call.value
    }

    /// Releases the closures of the program and what they hold.
    private func release() {
        let rest = state.withLock { state in
            state.hasEnded = true
            defer { (state.planned, state.inserted, state.ahead, state.observers) = ([], [], [], []) }
            return (state.planned, state.inserted, state.ahead, state.observers)
        }
        withExtendedLifetime(rest) {}
    }

    func suspend() {
        state.withLock { state in
            state.isSuspended = true
            state.current?.suspend()
        }
    }

    func resume() {
        state.withLock { state in
            state.isSuspended = false
            state.current?.resume()
        }
    }
}
