import PlugboardCore

/// One request of a batch, with its call and its outcome.
struct BatchItem<Value: Sendable>: Sendable {
    let call: any AnyCall
    /// Nil while it is under way.
    let outcome: @Sendable () -> Result<Value, PlugboardError>?
    let watch: @Sendable (@escaping @Sendable (TransferProgress) -> Void) -> Void
}

extension BatchItem {
    /// A typed call.
    init(_ call: Call<Value>) {
        self.init(call: call, outcome: { call.outcome }, watch: { call.onProgress($0) })
    }
}

extension BatchItem where Value == any Sendable {
    /// A call of any endpoint.
    init<E: Endpoint>(erasing endpoint: E, _ client: Client) {
        let call = client.makeCall(endpoint, isPart: true)
        self.init(call: call, outcome: { call.outcome?.map { $0 } }, watch: { call.onProgress($0) })
    }
}

extension BatchItem where Value == Void {
    /// A call whose value does not matter to the batch.
    init(anyCall call: any AnyCall) {
        self.init(
            call: call, outcome: { call.state.isEnded ? call.error.map { .failure($0) } ?? .success(()) : nil },
            watch: { _ in })
    }
}

extension Call {
    /// The outcome of the call; nil while it is under way.
    var outcome: Result<Value, PlugboardError>? {
        lock.withLock { state in
            switch state.end {
            case .success(let value)?: .success(value)
            case .failure(let error, _)?: .failure(error)
            case nil: nil
            }
        }
    }
}

extension PlugboardError {
    /// The error for a call that has ended without an outcome, which must not happen.
    static var withoutOutcome: PlugboardError {
        PlugboardError(.kernel, "A call has ended without an outcome.")
    }

    /// This error with a reason that names the failed request.
    func of(_ part: String) -> PlugboardError {
        // A cancellation, for example, is not a failure of this request.
        guard CallState(self) == .failed else { return self }
        var error = self
        error.reason = "\(part): \(reason)"
        return error
    }
}
