import PlugboardCore

extension Call {
    /// Called with the value when the call has succeeded.
    @discardableResult
    public func onSuccess(_ callback: @escaping @Sendable (Value) -> Void) -> Self { attach(.success(callback)) }

    /// Called with the error when the call has failed. A cancellation is not a failure.
    @discardableResult
    public func onFailure(_ callback: @escaping @Sendable (PlugboardError) -> Void) -> Self {
        attach(.failure(callback))
    }

    /// Called after `onSuccess` or `onFailure`, with the value or the error.
    @discardableResult
    public func onCompletion(_ callback: @escaping @Sendable (Result<Value, PlugboardError>) -> Void) -> Self {
        attach(.completion(callback))
    }

    /// Called last, with the final state of the call: the place to hide progress indicators.
    /// Also called after a cancellation, but not after a response that was ignored.
    @discardableResult
    public func onFinished(_ callback: @escaping @Sendable (CallState) -> Void) -> Self { attach(.finished(callback)) }

    /// Called with the bytes sent and received so far: at most ten times in a second, and once at the end of each
    /// attempt.
    @discardableResult
    public func onProgress(_ callback: @escaping @Sendable (TransferProgress) -> Void) -> Self {
        attach(progress: callback, onMain: false)
    }

    func attach(progress callback: @escaping @Sendable (TransferProgress) -> Void, onMain isOnMain: Bool) -> Self {
        lock.withLock { state in
            if state.end == nil { state.progressCallbacks.append((callback, isOnMain)) }
        }
        return self
    }

    /// Sets the delegate, which receives the events of the call and is held weakly; nil removes it.
    @discardableResult
    public func delegate(_ delegate: (any CallDelegate)?) -> Self {
        attach(delegate) { state, delegate in state.delegate = delegate }
    }

    /// Adds an object that receives the events of the call and is held until its end, such as a loading message.
    /// A call can have several.
    @discardableResult
    public func accessory(_ accessory: any CallDelegate) -> Self {
        attach(accessory) { state, accessory in if let accessory { state.accessories.append(accessory) } }
    }

    private func attach(
        _ delegate: (any CallDelegate)?, _ keep: (inout State, (any CallDelegate)?) -> Void
    ) -> Self {
        lock.withLock { state in
            if let end = state.end {
                guard let delegate else { return }
                addOutcomeJob(of: delegate, end)
                addFinishedJob(of: delegate, end)
            } else {
                keep(&state, delegate)
                if state.work == nil, let delegate { tell([delegate]) { $0.callDidStart($1) } }
            }
        }
        queue.run()
        return self
    }

    /// Adds a job for each of these, within the lock. Jobs hold them weakly, so that the end releases accessories.
    func tell(_ delegates: [any CallDelegate], _ what: @escaping @Sendable (any CallDelegate, any AnyCall) -> Void) {
        for delegate in delegates {
            queue.add { [weak delegate] in if let delegate { what(delegate, self) } }
        }
    }

    /// The bytes sent and received so far, as they change. A slow reader gets only the newest value. The sequence ends
    /// with the call. Each access returns a new sequence.
    public var progress: AsyncStream<TransferProgress> {
        let (stream, input) = AsyncStream<TransferProgress>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let isEnded = lock.withLock { state in
            if state.progress != TransferProgress() { input.yield(state.progress) }
            if state.end == nil { state.progressStreams.append(input) }
            return state.end != nil
        }
        if isEnded { input.finish() }
        return stream
    }

    /// How many bytes were sent and received so far.
    public var currentProgress: TransferProgress { lock.withLock { $0.progress } }

    /// Changes the progress, and reports it to all observers.
    func changeProgress(_ change: (inout TransferProgress) -> Void) {
        lock.withLock { state in
            guard state.end == nil else { return }
            change(&state.progress)
            let progress = state.progress
            for stream in state.progressStreams { stream.yield(progress) }
            for (callback, isOnMain) in state.progressCallbacks {
                queue.add(onMain: isOnMain) { callback(progress) }
            }
            tell(state.delegates) { $0.call($1, didProgress: progress) }
        }
        queue.run()
    }

    func attach(_ callback: Callback, onMain isOnMain: Bool = false) -> Self {
        lock.withLock { state in
            if let end = state.end {
                if let job = job(for: callback, end) { queue.add(onMain: isOnMain, job) }
            } else {
                state.callbacks.append(AttachedCallback(callback: callback, isOnMain: isOnMain))
            }
        }
        queue.run()
        return self
    }

    /// Adds the jobs for the end, in the order that the documentation of `Call` describes.
    func addJobs(of state: State, _ end: End) {
        let jobs = state.callbacks.compactMap { attached in job(for: attached.callback, end).map { (attached, $0) } }
        for rank in 0...2 {
            for (attached, job) in jobs where attached.callback.rank == rank {
                queue.add(onMain: attached.isOnMain, job)
            }
            if rank == 0 { continue }
            if let delegate = state.delegate { addJob(of: delegate, rank, end) }
            // The job holds accessories, because the call no longer does.
            for accessory in state.accessories {
                addJob(of: accessory, rank, end)
                queue.add { withExtendedLifetime(accessory) {} }
            }
        }
    }

    private func addJob(of delegate: any CallDelegate, _ rank: Int, _ end: End) {
        if rank == 1 { addOutcomeJob(of: delegate, end) } else { addFinishedJob(of: delegate, end) }
    }

    private func addOutcomeJob(of delegate: any CallDelegate, _ end: End) {
        switch end {
        case .success(let value): queue.add { [weak delegate] in delegate?.call(self, didSucceed: value) }
        case .failure(let error, isStopped: false) where CallState(error) == .failed:
            queue.add { [weak delegate] in delegate?.call(self, didFail: error) }
        case .failure: break
        }
    }

    private func addFinishedJob(of delegate: any CallDelegate, _ end: End) {
        if end.state != .ignored { queue.add { [weak delegate] in delegate?.callDidFinish(self) } }
    }

    /// The job for a callback at this end; nil if the callback is not called.
    private func job(for callback: Callback, _ end: End) -> CallbackQueue.Job? {
        switch (callback, end) {
        case (.success(let callback), .success(let value)): { callback(value) }
        case (.completion(let callback), .success(let value)): { callback(.success(value)) }
        case (.failure(let callback), .failure(let error, isStopped: false)) where end.state == .failed:
            { callback(error) }
        case (.completion(let callback), .failure(let error, isStopped: false)) where end.state == .failed:
            { callback(.failure(error)) }
        case (.finished(let callback), _) where end.state != .ignored: { callback(end.state) }
        case (.queued(let callback), .failure(let error, _)) where end.state == .queued: { callback(error) }
        default: nil
        }
    }
}

extension Call.Callback {
    /// The position of a kind of callback in the order of calls.
    fileprivate var rank: Int {
        switch self {
        case .success, .failure: 0
        case .completion: 1
        case .finished, .queued: 2
        }
    }
}

extension Call.End {
    var state: CallState {
        switch self {
        case .success: .succeeded
        case .failure(let error, _): CallState(error)
        }
    }
}

extension CallState {
    /// The state of a call that ended with this error.
    init(_ error: PlugboardError) {
        self =
            switch error.code {
            case .cancelled: .cancelled
            case .ignored: .ignored
            case .queued: .queued
            default: .failed
            }
    }
}
