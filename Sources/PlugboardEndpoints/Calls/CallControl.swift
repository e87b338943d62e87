import PlugboardCore

/// The operations on a call that its work may use.
protocol CallControl: AnyCall {
    /// Whether a batch or a chain made the call and is still under way.
    var isPart: Bool { get }

    /// Sends a request for the call: it is suspended, resumed and cancelled with the call, and its progress is reported
    /// as the call's.
    ///
    /// - Parameter countsReceived: False for one of several requests for one file, whose bytes are reported by
    ///   `report(downloaded:)`.
    func send(
        _ request: Request, by kernel: Kernel, countsReceived: Bool
    ) async throws(PlugboardError) -> StreamedResponse

    /// Makes the calls of the work follow this call: they are suspended and resumed with it.
    func lead(_ follower: any CallFollower)

    /// Calls a closure with the bytes sent and received so far, until the call has ended.
    func watch(_ report: @escaping @Sendable (TransferProgress) -> Void)

    /// The value of a call that has ended. Throws the error of the call.
    var anyValue: any Sendable { get throws(PlugboardError) }

    /// Reports the progress of work that sends no request of its own.
    func report(_ progress: TransferProgress)

    /// Reports the bytes received so far by several requests for one file.
    func report(downloaded progress: TransferProgress)

    /// Notes that the client's error handler suppresses the callbacks of a failure.
    func stopCallbacks()
}

/// Calls that follow another call: those of a batch, or the step of a chain. All members except `description` are
/// called within the lock of the other call.
protocol CallFollower: AnyObject, Sendable, CustomStringConvertible {
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

    func send(
        _ request: Request, by kernel: Kernel, countsReceived: Bool
    ) async throws(PlugboardError) -> StreamedResponse {
        try await untilResumed()
        let sent = CallTarget(method: request.method, path: request.url)
        let exchange = kernel.begin(
            request,
            watch: { [weak self] event in
                guard event.id == KernelEvent.progress.name, let self else { return }
                func count(_ name: String) -> Int? { event.integer(name).map { Int(clamping: $0) } }
                self.changeProgress { progress in
                    (progress.sent, progress.toSend) = (count("sent") ?? 0, count("toSend"))
                    guard countsReceived else { return }
                    (progress.received, progress.toReceive) = (count("received") ?? 0, count("toReceive"))
                }
            })
        let isEnded = lock.withLock { state in
            if state.end != nil { return true }
            state.exchange = exchange
            state.sent = sent
            if state.isSuspended { exchange.suspend() }
            return false
        }
        if isEnded { exchange.cancel() }
        return try await exchange.response
    }

    func watch(_ report: @escaping @Sendable (TransferProgress) -> Void) { _ = attach(progress: report, onMain: false) }

    var anyValue: any Sendable { get throws(PlugboardError) { try outcome.get() } }

    func report(_ progress: TransferProgress) { changeProgress { $0 = progress } }

    func report(downloaded progress: TransferProgress) {
        changeProgress {
            ($0.received, $0.toReceive, $0.resumed) = (progress.received, progress.toReceive, progress.resumed)
        }
    }

    func stopCallbacks() { lock.withLock { $0.isStopped = true } }

    /// Returns when the call is no longer suspended, or has ended.
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
