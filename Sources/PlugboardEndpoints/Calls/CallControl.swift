import PlugboardCore

/// What the work of a call may do with the call.
protocol CallControl: AnyObject, Sendable {
    var id: CallID { get }
    var labels: CallLabels { get }
    /// Whether it is made by a batch or a chain, as long as these are under way.
    var isPart: Bool { get }

    /// Sends a request that follows the call: it is suspended, resumed and cancelled with it, and its progress is the
    /// call's.
    func send(_ request: Request, by kernel: Kernel) async throws(PlugboardError) -> StreamedResponse

    /// Lets calls that the work makes follow this call: they are suspended and resumed with it.
    func lead(_ follower: any CallFollower)

    /// Reports how far the work is, where it sends no request of its own.
    func report(_ progress: CallProgress)

    /// Notes that the client's error handler stops the callbacks of a failure.
    func stopCallbacks()
}

/// Calls that follow another: those of a batch, and the step of a chain. Called within the lock of the other call.
protocol CallFollower: AnyObject, Sendable {
    func suspend()
    func resume()
}

extension Call: CallControl {
    func lead(_ follower: any CallFollower) {
        lock.withLock { state in
            guard state.end == nil else { return }
            state.follower = follower
            if state.isSuspended { follower.suspend() }
        }
    }

    func send(_ request: Request, by kernel: Kernel) async throws(PlugboardError) -> StreamedResponse {
        try await untilResumed()
        let exchange = kernel.begin(
            request,
            watch: { [weak self] event in
                guard event.id == KernelEvent.progress.name, let self else { return }
                func count(_ name: String) -> Int? { event.integer(name).map { Int(clamping: $0) } }
                self.report(
                    CallProgress(
                        sent: count("sent") ?? 0, toSend: count("toSend"), received: count("received") ?? 0,
                        toReceive: count("toReceive")))
            })
        let isEnded = lock.withLock { state in
            if state.end != nil { return true }
            state.exchange = exchange
            if state.isSuspended { exchange.suspend() }
            return false
        }
        if isEnded { exchange.cancel() }
        return try await exchange.response
    }

    func stopCallbacks() { lock.withLock { $0.isStopped = true } }

    /// Returns when the call is not suspended, or has ended.
    private func untilResumed() async throws(PlugboardError) {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let mustWait = lock.withLock { state in
                let mustWait = state.isSuspended && state.end == nil
                if mustWait { state.resumptions.append(continuation) }
                return mustWait
            }
            if !mustWait { continuation.resume() }
        }
        if let error { throw error }
    }
}
