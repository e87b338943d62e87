import PlugboardCore

/// Batches: independent requests that are sent together and have one outcome.
///
///     let boards = try await client.batch(names.map { Board(name: $0) })               // [BoardPage], in this order
///     let (user, feed) = try await client.batch(User(id: 7), Feed())                   // of different types
///     let results = try await client.batchResults(boards, options: BatchOptions(limit: 4))
///     client.batchCall(endpoints).onSuccess { values in … }.onFailure { error in … }   // by callbacks
///
/// A batch is itself a call: it is found by its labels, can be suspended and cancelled, and its callbacks run on the
/// same executor as those of other calls. Its requests are calls too, with the labels of their endpoints. Requests
/// begin in the order of their priority; requests of equal priority begin in the order of the list.
///
/// If a request fails, the batch fails with its error, whose reason names the request. If no request failed but one was
/// cancelled or ignored, the batch ends with the code `cancelled` or `ignored`.
extension Client {
    /// Sends all endpoints, and returns their values in the same order.
    ///
    /// Throws the error of the first request that failed, after all have ended. Cancelling the task cancels them.
    public func batch<E: Endpoint>(
        _ endpoints: [E], options: BatchOptions = BatchOptions()
    ) async throws(PlugboardError) -> [E.Response] {
        try await batchCall(endpoints, options: options).value
    }

    /// Sends all endpoints, and returns their values as a tuple in the same order.
    ///
    /// Throws the error of the first request that failed, after all have ended. Cancelling the task cancels them.
    public func batch<each E: Endpoint>(
        _ endpoint: repeat each E, options: BatchOptions = BatchOptions()
    ) async throws(PlugboardError) -> (repeat (each E).Response) {
        try await batchCall(repeat each endpoint, options: options).value
    }

    /// Sends endpoints of several types, and returns their values in the same order.
    ///
    /// Throws the error of the first request that failed, after all have ended. Cancelling the task cancels them.
    public func batch(
        mixed endpoints: [any Endpoint], options: BatchOptions = BatchOptions()
    ) async throws(PlugboardError) -> [any Sendable] {
        try await batchCall(mixed: endpoints, options: options).value
    }

    /// Sends all endpoints, and returns the result of each in the same order.
    ///
    /// Throws only `cancelled`, when the task or the batch was cancelled.
    public func batchResults<E: Endpoint>(
        _ endpoints: [E], options: BatchOptions = BatchOptions(cancelsAtFailure: false)
    ) async throws(PlugboardError) -> [Result<E.Response, PlugboardError>] {
        try await batchResultsCall(endpoints, options: options).value
    }

    /// Starts waiting calls, and returns when all calls have ended. The list may also contain started calls.
    ///
    /// Throws the error of the first call that failed. Cancelling the task cancels all calls.
    public func batch(
        of calls: [any AnyCall], options: BatchOptions = BatchOptions()
    ) async throws(PlugboardError) {
        try await batchCall(of: calls, options: options).value
    }

    // MARK: By callbacks

    /// Starts a batch of endpoints and returns it as a call.
    ///
    /// - Parameters:
    ///   - labels: The names by which the batch itself is found.
    ///   - executor: Where its callbacks run; nil for the client's executor.
    @discardableResult
    public func batchCall<E: Endpoint>(
        _ endpoints: [E], options: BatchOptions = BatchOptions(), labels: CallLabels = CallLabels(),
        executor: CallbackExecutor? = nil
    ) -> Call<[E.Response]> {
        started(labels, executor) { [self] control throws(PlugboardError) in
            let calls = endpoints.map { makeCall($0, isPart: true) }
            try await run(calls, options, control).check()
            var values: [E.Response] = []
            values.reserveCapacity(calls.count)
            for call in calls { values.append(try call.outcome.get()) }
            return values
        }
    }

    /// Starts a batch of endpoints of several types and returns it as a call, whose value is a tuple.
    @discardableResult
    public func batchCall<each E: Endpoint>(
        _ endpoint: repeat each E, options: BatchOptions = BatchOptions(), labels: CallLabels = CallLabels(),
        executor: CallbackExecutor? = nil
    ) -> Call<(repeat (each E).Response)> {
        let endpoints = (repeat each endpoint)
        return started(labels, executor) { [self] control throws(PlugboardError) in
            let calls = (repeat makeCall(each endpoints, isPart: true))
            var parts: [any AnyCall] = []
            for call in repeat each calls { parts.append(call) }
            try await run(parts, options, control).check()
            return (repeat try (each calls).outcome.get())
        }
    }

    /// Starts a batch of endpoints of several types and returns it as a call.
    @discardableResult
    public func batchCall(
        mixed endpoints: [any Endpoint], options: BatchOptions = BatchOptions(), labels: CallLabels = CallLabels(),
        executor: CallbackExecutor? = nil
    ) -> Call<[any Sendable]> {
        started(labels, executor) { [self] control throws(PlugboardError) in
            let calls = endpoints.map { makeAnyCall($0) }
            try await run(calls, options, control).check()
            var values: [any Sendable] = []
            for call in calls { values.append(try call.anyValue) }
            return values
        }
    }

    private func makeAnyCall<E: Endpoint>(_ endpoint: E) -> any CallControl { makeCall(endpoint, isPart: true) }

    /// Starts a batch and returns it as a call, whose value is the result of each request.
    @discardableResult
    public func batchResultsCall<E: Endpoint>(
        _ endpoints: [E], options: BatchOptions = BatchOptions(cancelsAtFailure: false),
        labels: CallLabels = CallLabels(), executor: CallbackExecutor? = nil
    ) -> Call<[Result<E.Response, PlugboardError>]> {
        started(labels, executor) { [self] control throws(PlugboardError) in
            let calls = endpoints.map { makeCall($0, isPart: true) }
            _ = await run(calls, options, control)
            return calls.map { $0.outcome }
        }
    }

    /// Starts a batch of waiting calls and returns it as a call.
    @discardableResult
    public func batchCall(
        of calls: [any AnyCall], options: BatchOptions = BatchOptions(), labels: CallLabels = CallLabels(),
        executor: CallbackExecutor? = nil
    ) -> Call<Void> {
        started(labels, executor) { [self] control throws(PlugboardError) in
            try await run(calls, options, control).check()
        }
    }

    private func started<Value: Sendable>(
        _ labels: CallLabels, _ executor: CallbackExecutor?, _ work: @escaping Call<Value>.Work
    ) -> Call<Value> {
        let call = makeCall(labels, executor, work)
        call.start()
        return call
    }

    /// Runs the calls within the limits, until all have ended or the call of the batch ends.
    private func run(
        _ calls: [any AnyCall], _ options: BatchOptions, _ control: any CallControl
    ) async -> BatchRun {
        let run = BatchRun(calls, options) { progress in
            control.report(progress.bytes)
            options.onProgress?(progress)
        }
        for (index, call) in calls.enumerated() {
            // The bytes of a call that the program has made count at its end.
            guard let own = call as? any CallControl, own.isPart else { continue }
            own.watch { [weak run] progress in run?.report(progress, of: index) }
        }
        control.lead(run)
        await withTaskCancellationHandler {
            await run.run()
        } onCancel: {
            run.cancel()
        }
        return run
    }
}
