import PlugboardCore
import Synchronization

/// One request as an object that can be awaited, observed by callbacks, suspended, resumed and cancelled.
///
///     client.call(TopicList(board: "swift"))
///         .onSuccess { topics in … }
///         .onFailure { error in … }
///         .onFinished { _ in … }
///
/// A call continues even if the program holds no reference to it: the client holds it from its start to its end. A call
/// that is never started ends with the last reference to it.
///
/// The table lists the callbacks of each end. Each is called once, in this order. Callbacks of one kind are called in
/// the order in which they were attached; a callback that is attached after the end is called too. Progress is never
/// reported after the other callbacks.
///
/// | end | state | callbacks | `value` |
/// |---|---|---|---|
/// | success | `succeeded` | `onSuccess`, `onCompletion`, `onFinished` | returns |
/// | failure | `failed` | `onFailure`, `onCompletion`, `onFinished` | throws |
/// | failure that the client's error handler stopped | `failed` | `onFinished` | throws |
/// | cancellation | `cancelled` | `onFinished` | throws `cancelled` |
/// | kept by the plugin `queue`, to be sent later | `queued` | `onFinished`, later `onQueueOutcome` | throws `queued` |
/// | ignored by the judge or a plugin | `ignored` | none | throws `ignored` |
///
/// Closures are released after they were called or when they can no longer be called, so that they may hold the object
/// that made the call.
public final class Call<Value: Sendable>: AnyCall, CustomStringConvertible {
    typealias Work = @Sendable (any CallControl) async throws(PlugboardError) -> Value

    enum End {
        case success(Value)
        case failure(PlugboardError, isStopped: Bool)
    }

    /// A closure of the program, and whether it runs on the main actor instead of the executor.
    struct AttachedCallback {
        let callback: Callback
        let isOnMain: Bool
    }

    enum Callback {
        case success(@Sendable (Value) -> Void)
        case failure(@Sendable (PlugboardError) -> Void)
        case completion(@Sendable (Result<Value, PlugboardError>) -> Void)
        case finished(@Sendable (CallState) -> Void)
        case queued(@Sendable (PlugboardError) -> Void)
    }

    struct State {
        var work: Work?
        /// The kernel to ask about a queued request; released after another end.
        var kernel: Kernel?
        var task: Task<Void, Never>?
        var exchange: ExchangeHandle?
        var follower: (any CallFollower)?
        var end: End?
        var isSuspended = false
        var isStopped = false
        var resumptions: [UnsafeContinuation<Void, Never>] = []
        var waiters: [UnsafeContinuation<Void, Never>] = []
        var callbacks: [AttachedCallback] = []
        var progressCallbacks: [(call: @Sendable (TransferProgress) -> Void, isOnMain: Bool)] = []
        var progressStreams: [AsyncStream<TransferProgress>.Continuation] = []
        var progress = TransferProgress()
        /// The last request that was sent.
        var sent: CallTarget?
        weak var delegate: (any CallDelegate)?
        var accessories: [any CallDelegate] = []

        /// All objects that receive the events of the call.
        var delegates: [any CallDelegate] { (delegate.map { [$0] } ?? []) + accessories }
    }

    /// The number of the call.
    public let id = CallID()
    /// The names by which it is found.
    public let labels: CallLabels
    /// The origin of the request, if it is known before the request is made.
    public let origin: Origin?
    private let target: CallTarget?
    /// Whether a batch or a chain made the call and is still under way.
    let isPart: Bool
    let queue: CallbackQueue
    let lock: Mutex<State>
    private let registry: CallRegistry?
    private let catalog: MessageCatalog

    /// Creates a call that waits for `start`.
    init(
        labels: CallLabels, target: CallTarget? = nil, executor: CallbackExecutor, registry: CallRegistry?,
        kernel: Kernel, catalog: MessageCatalog, isPart: Bool = false, work: @escaping Work
    ) {
        self.labels = labels
        self.target = target
        origin = target?.origin
        self.isPart = isPart
        self.registry = registry
        self.catalog = catalog
        queue = CallbackQueue(executor)
        lock = Mutex(State(work: work, kernel: kernel))
        registry?.add(self)
    }

    deinit { registry?.remove(id) }

    /// One line with the number, the method, the URL without the values of the query, the labels and the state. A batch
    /// under way also has its first ten calls, a chain its step.
    public var description: String {
        let (sent, follower) = lock.withLock { ($0.sent, $0.follower) }
        var parts = ["call \(id)"]
        if let target = sent ?? target { parts.append(target.description) }
        parts += labels.texts
        if let follower { parts.append(follower.description) }
        return "\(parts.joined(separator: ", ")): \(state)"
    }

    // MARK: Control

    /// Starts a waiting call; does nothing otherwise.
    public func start() {
        if !isPart, registry?.isFinishing == true, lock.withLock({ $0.work != nil }) { return cancel() }
        lock.withLock { state in
            guard state.end == nil, let work = state.work.take() else { return }
            registry?.hold(self)
            tell(state.delegates) { $0.callDidStart($1) }
            state.task = Task {
                do throws(PlugboardError) {
                    let value = try await work(self)
                    self.end(.success(value))
                } catch {
                    self.end(.failure(error, isStopped: self.lock.withLock { $0.isStopped }))
                }
            }
        }
        queue.run()
    }

    /// Ends the call at once, with the state `cancelled`; does nothing if it has ended.
    public func cancel() {
        end(.failure(PlugboardError(.cancelled, "The call was cancelled."), isStopped: false), cancelsWork: true)
    }

    /// Pauses hooks of plugins and the network until `resume`. The timeout of the exchange continues to run.
    public func suspend() {
        lock.withLock { state in
            guard state.end == nil, !state.isSuspended else { return }
            state.isSuspended = true
            state.exchange?.suspend()
            state.follower?.suspend()
            tell(state.delegates) { $0.callDidSuspend($1) }
        }
        runQueueSoon()
    }

    /// Continues a suspended call; does nothing otherwise.
    public func resume() {
        let resumptions = lock.withLock { state in
            guard state.isSuspended else { return [UnsafeContinuation<Void, Never>]() }
            state.isSuspended = false
            state.exchange?.resume()
            state.follower?.resume()
            tell(state.delegates) { $0.callDidResume($1) }
            defer { state.resumptions = [] }
            return state.resumptions
        }
        runQueueSoon()
        for resumption in resumptions { resumption.resume() }
    }

    /// Uses a task, because the calls of a batch or a chain are suspended and resumed while its lock is held.
    private func runQueueSoon() { Task { queue.run() } }

    // MARK: Outcome

    /// The state of the call.
    public var state: CallState {
        lock.withLock { state in
            switch state.end {
            case .success?: .succeeded
            case .failure(let error, _)?: CallState(error)
            case nil: state.work != nil ? .waiting : state.isSuspended ? .suspended : .running
            }
        }
    }

    /// The error of a call that did not succeed; nil while it is under way and after a success.
    public var error: PlugboardError? {
        lock.withLock { if case .failure(let error, _)? = $0.end { error } else { nil } }
    }

    /// The value, when the call has succeeded. Starts a waiting call.
    ///
    /// Throws the error of the call. Cancelling the task cancels the call, and throws `cancelled`.
    public var value: Value {
        get async throws(PlugboardError) {
            start()
            await withTaskCancellationHandler {
                await ended()
            } onCancel: {
                cancel()
            }
            return try outcome.get()
        }
    }

    /// The outcome of a call that has ended.
    var outcome: Result<Value, PlugboardError> {
        switch lock.withLock({ $0.end }) {
        case .success(let value)?: .success(value)
        case .failure(let error, _)?: .failure(error)
        case nil: .failure(PlugboardError(.kernel, "A call has ended without an outcome."))
        }
    }

    /// Returns when the call has ended with any outcome. Cancelling the task does not end the wait.
    public func ended() async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let isEnded = lock.withLock { state in
                if state.end == nil { state.waiters.append(continuation) }
                return state.end != nil
            }
            if isEnded { continuation.resume() }
        }
    }

    /// The text for people about the call's error, in the language of the client's messages; nil without an error.
    public var message: String? { error.map { message(for: $0) } }

    /// The text for people about an error, in the language of the client's messages.
    public func message(for error: PlugboardError) -> String { catalog.message(for: error) }

    /// Ends the call; does nothing if it has ended before.
    private func end(_ end: End, cancelsWork: Bool = false) {
        let old = lock.withLock { state -> State? in
            guard state.end == nil else { return nil }
            let old = state
            state = State()
            state.end = end
            if end.state == .queued { state.kernel = old.kernel }
            state.progress = old.progress
            state.sent = old.sent
            // Within the lock, so that callbacks that are attached from now on are called after these.
            addJobs(of: old, end)
            return old
        }
        guard let old else { return }
        // Before the callbacks, which may start the same request again.
        if cancelsWork {
            old.exchange?.cancel()
            old.task?.cancel()
        }
        queue.run()
        for stream in old.progressStreams { stream.finish() }
        registry?.remove(id)
        for waiter in old.waiters + old.resumptions { waiter.resume() }
    }
}
