import PlugboardCodecs
import PlugboardCore

// How an endpoint is sent, in the order of events:
//
//     customRequest; or parameters ▸ parameterAdapters ▸ URL, placeholders, body ▸ urlAdapters ▸ options ▸ prepare
//     requestAdapters ▸ the kernel ▸ status, type ▸ the body is read ▸ transform ▸ validate
//     responseHooks ▸ judge, with the outcome of these steps ▸ decode ▸ validate(value:)
//     errorHandler, with a failure at any step
extension Client {
    /// Sends an endpoint, for a call or without one.
    nonisolated(nonsending) func perform<E: Endpoint>(
        _ endpoint: E, labels: CallLabels?, control: (any CallControl)?, debug: DebugBehavior? = nil
    ) async throws(PlugboardError) -> E.Response {
        do throws(PlugboardError) {
            let response =
                if state.isJudged {
                    try judged(
                        await outcome(endpoint, labels: labels, control: control, debug: debug), of: endpoint,
                        labels: labels, call: control?.id)
                } else {
                    try await received(endpoint, labels: labels, control: control, debug: debug)
                }
            let value = try await endpoint.calling("decode") { try await endpoint.decode(response, in: self) }
            try await endpoint.calling("validate") { try await endpoint.validate(value: value) }
            return value
        } catch {
            throw handled(error, of: endpoint, labels: labels, control: control)
        }
    }

    /// The outcome that hooks and the judge receive.
    private nonisolated(nonsending) func outcome<E: Endpoint>(
        _ endpoint: E, labels: CallLabels?, control: (any CallControl)?, debug: DebugBehavior?
    ) async -> Result<ReceivedResponse, PlugboardError> {
        do throws(PlugboardError) {
            return .success(try await received(endpoint, labels: labels, control: control, debug: debug))
        } catch {
            return .failure(error)
        }
    }

    /// The response, if only the client's hooks and its judge can still refuse it.
    ///
    /// Inlined, because each asynchronous function costs an allocation.
    @inline(__always)
    private nonisolated(nonsending) func received<E: Endpoint>(
        _ endpoint: E, labels: CallLabels?, control: (any CallControl)?, debug: DebugBehavior?
    ) async throws(PlugboardError) -> ReceivedResponse {
        if let debug = debug ?? (endpoint.debug.isClients ? state.settings.debug : endpoint.debug) {
            try await debug.apply()
        }
        let request = try await request(for: endpoint, labels: labels, call: control?.id)
        var received: ReceivedResponse
        if case let path = endpoint.downloadPath, !path.isEmpty {
            received = try await download(request, to: path, for: endpoint, control: control)
        } else if let control {
            received = try await read(
                try await control.send(request, by: kernel, countsReceived: true), for: endpoint)
        } else {
            received = try await read(try await kernel.send(request), for: endpoint)
        }
        do throws(PlugboardError) {
            try await endpoint.calling("transform") { try await endpoint.transform(&received) }
            try await endpoint.calling("validate") { try await endpoint.validate(received) }
        } catch {
            throw error.about(received)
        }
        return received
    }

    /// Checks status and type, and reads the body in the way that the type of the endpoint's value needs.
    @inline(__always)
    private nonisolated(nonsending) func read<E: Endpoint>(
        _ response: consuming StreamedResponse, for endpoint: E
    ) async throws(PlugboardError) -> ReceivedResponse {
        guard endpoint.acceptableStatuses.contains(response.status) else {
            throw await refusal(of: response, for: endpoint)
        }
        // A response without a body needs no type.
        if case let types = endpoint.acceptableTypes, !types.isEmpty, response.body.length != 0 {
            response = try await response.requireType(types, keeping: Client.excerptLimit)
        }
        let content: ReceivedResponse.Content
        if E.Response.self == StreamedResponse.self {
            content = .stream(response.body)
        } else if E.Response.self == Void.self {
            content = try await dropped(response.body)
        } else {
            let limit = endpoint.bodyLimit.bytes > 0 ? endpoint.bodyLimit : state.settings.bodyLimit
            content = .bytes(try await response.body.collect(upTo: limit), isWhole: true)
        }
        return ReceivedResponse(
            head: response.head, url: response.url, attempts: response.attempts, content: content)
    }

    nonisolated(nonsending) func refusal<E: Endpoint>(
        of response: StreamedResponse, for endpoint: E
    ) async -> PlugboardError {
        await response.refused(
            .responseStatus,
            "\(Printable.url(response.url)) responded with status \(response.status); \(endpoint.endpointName) "
                + "accepts \(endpoint.acceptableStatuses.text).", keeping: Client.excerptLimit)
    }

    /// The first bytes of a body that is not decoded, for hooks and the judge.
    private nonisolated(nonsending) func dropped(_ body: Body) async throws(PlugboardError) -> ReceivedResponse.Content
    {
        do throws(PlugboardError) {
            return .bytes(try await body.collect(upTo: Client.excerptLimit), isWhole: true)
        } catch {
            guard error.code == .bodyLimit else { throw error }
            return .bytes(.empty, isWhole: false)
        }
    }

    /// How many bytes of a refused response are kept.
    static let excerptLimit = ByteCount.kibibytes(64)

    // MARK: Judgement

    /// Calls the hooks and the judge with an outcome. Returns the response if it is a success.
    private func judged<E: Endpoint>(
        _ received: Result<ReceivedResponse, PlugboardError>, of endpoint: E, labels: CallLabels?, call: CallID?
    ) throws(PlugboardError) -> ReceivedResponse {
        let context = context(of: endpoint, labels, call)
        var outcome: EndpointOutcome
        switch received {
        case .success(let response): outcome = EndpointOutcome(response: response, error: nil, context: context)
        case .failure(let error):
            // A cancellation, for example, is not judged.
            if CallState(error) != .failed { throw error }
            outcome = EndpointOutcome(
                response: error.response.map { ReceivedResponse($0) }, error: error, context: context)
        }
        let refusal = outcome.error?.code
        for hook in state.settings.responseHooks { hook(&outcome) }
        // A status or type that the endpoint does not accept is always a failure; the judge cannot change that.
        if let error = outcome.error, error.code == refusal, [.responseStatus, .responseType].contains(error.code) {
            throw outcome.response.map { error.about($0) } ?? error
        }
        switch state.settings.judge?(outcome) ?? outcome.verdict {
        case .success:
            if let error = outcome.error { throw error }
            if let response = outcome.response { return response }
            // A hook has removed the error of a failure without a response, so there is nothing to decode.
            return try received.get()
        case .failure(let error): throw outcome.response.map { error.about($0) } ?? error
        case .ignore:
            throw PlugboardError(
                .ignored, "The client's judge ignores this outcome of \(endpoint.endpointName).",
                underlying: outcome.error?.description)
        }
    }

    /// Calls the error handler with a failure, and returns the error to throw.
    private func handled<E: Endpoint>(
        _ error: PlugboardError, of endpoint: E, labels: CallLabels?, control: (any CallControl)?
    ) -> PlugboardError {
        guard let handle = state.settings.errorHandler, CallState(error) == .failed else { return error }
        if let other = handle(error, context(of: endpoint, labels, control?.id)) { return other }
        if let control {
            control.stopCallbacks()
            return error
        }
        return PlugboardError(
            .ignored, "The client's error handler has handled the failure of \(endpoint.endpointName).",
            underlying: error.description)
    }

    // MARK: Decoding

    /// The whole body, decoded by the client's codec for the response's content type.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from response: ReceivedResponse
    ) throws(PlugboardError) -> Value {
        try current.value(type, from: response, with: nil)
    }

    /// The whole body, decoded by a codec.
    public func decode<Value>(
        _ type: Value.Type, from response: ReceivedResponse, with codec: any Codec
    ) throws(PlugboardError) -> Value {
        try value(type, from: response, with: codec)
    }

    func value<Value>(
        _ type: Value.Type, from response: ReceivedResponse, with codec: (any Codec)?
    ) throws(PlugboardError) -> Value {
        let contentType = response[.contentType]
        guard let codec = codec ?? state.settings.codecs.codec(for: contentType, decoding: type) else {
            throw PlugboardError(.bodyDecode, "No codec of the client makes \(type). Add one to its codecs.")
        }
        do throws(PlugboardError) {
            return try codec.decode(type, from: response.wholeBody, contentType: contentType)
        } catch {
            throw error.about(contentType, readBy: codec)
        }
    }
}

extension PlugboardError {
    /// The error with the response as its excerpt.
    fileprivate func about(_ response: ReceivedResponse) -> PlugboardError {
        if self.response != nil { return self }
        var error = self
        let limit = Client.excerptLimit.bytes
        error.response = ResponseExcerpt(
            head: response.head, url: response.url, firstBytes: response.bytes[0..<limit],
            isWhole: response.isWhole && response.bytes.count <= limit)
        return error
    }

    /// The error with the content type, if the codec does not list this type: that is the most frequent cause.
    fileprivate func about(_ contentType: String?, readBy codec: any Codec) -> PlugboardError {
        guard let contentType, let media = MediaType(contentType),
            !codec.contentTypes.contains(where: { media.matches($0) })
        else { return self }
        var error = self
        error.reason += " The response has the content type \(media.name), and was read as \(codec.name)."
        return error
    }
}
