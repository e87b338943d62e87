import PlugboardAuthenticationOptions
import PlugboardCodecs
import PlugboardCookiesOptions
import PlugboardCore
import PlugboardJSONCoding
import PlugboardRetryOptions

extension Client {
    /// The request of an endpoint after all adapters. Nothing is sent.
    ///
    /// Throws `request.parameter` and `request.url` if it cannot be made, and the errors of the endpoint and of
    /// adapters.
    public nonisolated(nonsending) func request<E: Endpoint>(
        for endpoint: E
    ) async throws(PlugboardError) -> Request {
        try await current.request(for: endpoint, labels: nil, call: nil)
    }

    nonisolated(nonsending) func request<E: Endpoint>(
        for endpoint: E, labels: CallLabels?, call: CallID?
    ) async throws(PlugboardError) -> Request {
        var request = try await unadapted(endpoint, labels: labels, call: call)
        if !state.settings.requestAdapters.isEmpty, endpoint.usesAdapters {
            let context = context(of: endpoint, labels, call)
            for adapter in state.settings.requestAdapters { try await adapter.adapt(&request, context) }
        }
        return request
    }

    /// The request before the request adapters run.
    private nonisolated(nonsending) func unadapted<E: Endpoint>(
        _ endpoint: E, labels: CallLabels?, call: CallID?
    ) async throws(PlugboardError) -> Request {
        try EndpointCheck.check(endpoint)
        if let custom = try await endpoint.calling("customRequest", { try await endpoint.customRequest() }) {
            return custom
        }
        let method = endpoint.method
        var parameters = try encodedParameters(of: endpoint)
        if !state.settings.parameters.isEmpty, endpoint.usesGeneralParameters {
            parameters = state.settings.parameters.merging(parameters)
        }
        let isAdapted = endpoint.usesAdapters
        if isAdapted, !state.settings.parameterAdapters.isEmpty {
            let context = context(of: endpoint, labels, call)
            for adapter in state.settings.parameterAdapters { try adapter.adapt(&parameters, context) }
        }

        var bytes = try URLTemplate.filled(
            state.target(of: endpoint).url, with: &parameters, general: state.settings.parameters,
            of: endpoint.endpointName)

        var body: (body: Body, type: String?)?
        if let make = try endpoint.calling("body", { try endpoint.body }).make {
            body = try make(endpoint.requestCodec ?? state.settings.requestCodec)
        } else if method.sendsParametersInBody {
            body = try self.body(of: &parameters, for: endpoint)
        }
        try parameters.add(to: &bytes, style: state.settings.parameterStyle)
        var url = String(decoding: bytes, as: UTF8.self)
        if isAdapted, !state.settings.urlAdapters.isEmpty {
            let context = context(of: endpoint, labels, call)
            for adapter in state.settings.urlAdapters { try adapter.adapt(&url, context) }
        }

        var request = Request(method, url, fields: fields(of: endpoint))
        if let body {
            if let type = body.type { request.setBody(body.body, type: type) } else { request.body = body.body }
        }
        setOptions(of: endpoint, in: &request)
        try await endpoint.calling("prepare") { try await endpoint.prepare(&request) }
        return request
    }

    /// The encoder of the parameters: that of the body's codec if it writes JSON, because its style of names also
    /// applies to bodies; otherwise that of the client's codec for JSON.
    private func parameterEncoder<E: Endpoint>(of endpoint: E) -> JSONValueEncoder? {
        if let own = (endpoint.requestCodec ?? state.settings.requestCodec) as? JSONCodec { return own.encoder }
        let general = [state.settings.requestCodec] + state.settings.codecs.codecs
        var encoder = general.lazy.compactMap { $0 as? JSONCodec }.first?.encoder
        encoder?.keys = .unchanged
        return encoder
    }

    private func encodedParameters<E: Endpoint>(of endpoint: E) throws(PlugboardError) -> Parameters {
        guard let encoder = parameterEncoder(of: endpoint), encoder.hasWriters || encoder.keys != .unchanged else {
            return try endpoint.calling("parameters") { try endpoint.parameters }
        }
        let parameters: Result<Parameters, PlugboardError> = Parameters.$encoder.withValue(encoder) {
            do throws(PlugboardError) {
                return .success(try endpoint.calling("parameters") { try endpoint.parameters })
            } catch {
                return .failure(error)
            }
        }
        return try parameters.get()
    }

    /// Makes the body from the parameters, and leaves the parameters for the query.
    private func body<E: Endpoint>(
        of parameters: inout Parameters, for endpoint: E
    ) throws(PlugboardError) -> (Body, String?) {
        var bodyParameters = parameters
        parameters = Parameters()
        let names = endpoint.queryParameters
        if !names.isEmpty {
            // Throws for values that cannot be written; the code below would drop them.
            _ = try bodyParameters.object()
            for (name, value) in bodyParameters where names.contains(name) { parameters.append(name, value) }
            bodyParameters.removeAll(where: names.contains)
        }
        if bodyParameters.isEmpty { return (.empty, nil) }
        let codec = endpoint.requestCodec ?? state.settings.requestCodec
        return (.bytes(try codec.encode(bodyParameters)), codec.writtenType)
    }

    /// The general fields; the endpoint's own fields replace those of the same name.
    private func fields<E: Endpoint>(of endpoint: E) -> Fields {
        let own = endpoint.fields
        guard !state.settings.fields.isEmpty, endpoint.usesGeneralFields else { return own }
        if own.isEmpty { return state.settings.fields }
        var fields = state.settings.fields
        own.forEachField { name, _ in fields.remove(name) }
        for index in own.indices {
            own.withField(index) { fields.append($0, $1, isSecret: own.isSecret(at: index)) }
        }
        return fields
    }

    private func setOptions<E: Endpoint>(of endpoint: E, in request: inout Request) {
        var types = endpoint.acceptableTypes
        if types.isEmpty { types = endpoint.responseCodec?.contentTypes.filter(\.isSendable) ?? [] }
        if !types.isEmpty, !request.fields.contains(.accept) {
            request.fields.append(.accept, types.joined(separator: ", "))
        }
        endpoint.cache.apply(to: &request)
        endpoint.validation.apply(to: &request)
        endpoint.timeouts.apply(to: &request)
        if endpoint.attempts != 0 { request.retry.attempts = endpoint.attempts }
        if !endpoint.usesCookies {
            request.cookies.send = false
            request.cookies.store = false
        }
        switch endpoint.credentials {
        case .configured: break
        case .basic(let user, let password): request.authentication.basic(user: user, password: password)
        case .bearer(let token): request.authentication.bearer(token)
        case .none: request.authentication.isEnabled = false
        }
    }

    func context<E: Endpoint>(of endpoint: E, _ labels: CallLabels?, _ call: CallID?) -> CallContext {
        CallContext(endpoint: endpoint, labels: labels ?? CallLabels(endpoint, state.settings.userInfo), call: call)
    }
}

extension Method {
    /// Whether a request with this method has its parameters in the body instead of the query.
    fileprivate var sendsParametersInBody: Bool {
        switch name {
        case "GET", "HEAD", "DELETE", "OPTIONS", "TRACE": false
        default: true
        }
    }
}

extension String {
    /// Whether a media type of a codec can stand in `Accept`; `*/*+json` can not (RFC 9110 §12.5.1).
    fileprivate var isSendable: Bool { !utf8.starts(with: "*/*+".utf8) }
}
