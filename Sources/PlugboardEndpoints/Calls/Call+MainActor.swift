import PlugboardCore
public import PlugboardQueueOptions

// The callbacks of `Call+Callbacks.swift` for closures of the main actor, such as methods of a view:
//
//     call.onSuccess { @MainActor topics in list.show(topics) }.onFailure(showError)
//
// They run on the main actor, whatever the executor of the call, in the same order as the others. A closure without
// an actor runs on the executor, unless `on: .shared` is given.
extension Call {
    /// Called on the main actor with the value when the call has succeeded.
    @discardableResult
    public func onSuccess(
        on actor: MainActor = .shared, _ callback: @escaping @MainActor @Sendable (Value) -> Void
    ) -> Self {
        attach(.success { value in MainActor.assumeIsolated { callback(value) } }, onMain: true)
    }

    /// Called on the main actor with the error when the call has failed. A cancellation is no failure.
    @discardableResult
    public func onFailure(
        on actor: MainActor = .shared, _ callback: @escaping @MainActor @Sendable (PlugboardError) -> Void
    ) -> Self {
        attach(.failure { error in MainActor.assumeIsolated { callback(error) } }, onMain: true)
    }

    /// Called on the main actor after `onSuccess` or `onFailure`, with the value or the error.
    @discardableResult
    public func onCompletion(
        on actor: MainActor = .shared,
        _ callback: @escaping @MainActor @Sendable (Result<Value, PlugboardError>) -> Void
    ) -> Self {
        attach(.completion { result in MainActor.assumeIsolated { callback(result) } }, onMain: true)
    }

    /// Called on the main actor at the end, with the final state of the call; not called after an ignored response.
    @discardableResult
    public func onFinished(
        on actor: MainActor = .shared, _ callback: @escaping @MainActor @Sendable (CallState) -> Void
    ) -> Self {
        attach(.finished { state in MainActor.assumeIsolated { callback(state) } }, onMain: true)
    }

    /// Called on the main actor, once for a call that has ended as `queued`, with the final result of its request.
    @discardableResult
    public func onQueueOutcome(
        on actor: MainActor = .shared,
        _ callback: @escaping @MainActor @Sendable (Result<QueuedRequest, PlugboardError>) -> Void
    ) -> Self {
        attach(outcome: { result in MainActor.assumeIsolated { callback(result) } }, onMain: true)
    }

    /// Called on the main actor with the bytes sent and received so far.
    @discardableResult
    public func onProgress(
        on actor: MainActor = .shared, _ callback: @escaping @MainActor @Sendable (TransferProgress) -> Void
    ) -> Self {
        attach(progress: { progress in MainActor.assumeIsolated { callback(progress) } }, onMain: true)
    }
}
