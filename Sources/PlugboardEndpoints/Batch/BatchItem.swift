import PlugboardCore

/// One request of a batch: its call, and what is known of its outcome.
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
    /// A call of any kind, of which only the end matters.
    init(anyCall call: any AnyCall) {
        self.init(
            call: call, outcome: { call.state.isEnded ? call.error.map { .failure($0) } ?? .success(()) : nil },
            watch: { _ in })
    }
}

extension Call {
    /// How it has ended; nil while it is under way.
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
    /// The error of a call that has no outcome, which cannot be.
    static var withoutOutcome: PlugboardError {
        PlugboardError(.kernel, "A call has ended without an outcome.")
    }

    /// The error of one request of several, which its reason names.
    func of(_ part: String) -> PlugboardError {
        // A cancellation and the like are not failures of a part.
        guard CallState(self) == .failed else { return self }
        var error = self
        error.reason = "\(part): \(reason)"
        return error
    }
}
