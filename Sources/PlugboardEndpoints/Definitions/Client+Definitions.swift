import PlugboardCodecs
import PlugboardCore
import PlugboardJSON

extension Client {
    /// The endpoint of a definition of this client, for calls, batches and chains. Its response is untyped.
    ///
    /// - Parameters:
    ///   - name: The definition's name in `settings.definitions`.
    ///   - parameters: The parameters, which are checked against the definition when the endpoint is sent.
    ///   - body: The whole body, instead of the one that the definition makes of the parameters.
    ///   - attributes: Attributes for plugins, such as `["indicator.message": "Loading the topics"]`. They replace
    ///     those of the definition.
    public func endpoint(
        _ name: String, _ parameters: Parameters = [:], body: EndpointBody? = nil, attributes: Attributes = [:]
    ) -> DefinedEndpoint<DefinedResponse> {
        DefinedEndpoint(name, parameters, body: body, attributes: attributes, in: settings) {
            (response: ReceivedResponse, definition: Definition, client: Client)
                throws(PlugboardError) -> DefinedResponse in
            try DefinedResponse(response, definition, client)
        }
    }

    /// The endpoint of a definition of this client, with a typed response: any `Decodable` type, or one of `Void`,
    /// `Bytes`, `String`, `JSONValue`, `ReceivedResponse`, `DownloadedFile` and `StreamedResponse`.
    public func endpoint<Value: Sendable>(
        _ name: String, _ parameters: Parameters = [:], body: EndpointBody? = nil, attributes: Attributes = [:],
        as type: Value.Type
    ) -> DefinedEndpoint<Value> {
        DefinedEndpoint(name, parameters, body: body, attributes: attributes, in: settings) {
            (response: ReceivedResponse, definition: Definition, client: Client) throws(PlugboardError) -> Value in
            // The value has the type that was compared, so the cast succeeds.
            if let value = try response.uncoded(type, for: definition.name) { return value as! Value }
            let codec = try client.settings.codec(named: definition.responseCodec, of: definition)
            return try client.value(type, from: response, with: codec)
        }
    }

    /// Sends an endpoint by the name of its definition, and returns the response that the definition describes.
    ///
    /// Throws `request.parameter` if there is no such definition, or if the parameters do not fit it.
    public nonisolated(nonsending) func send(
        _ name: String, _ parameters: Parameters = [:], body: EndpointBody? = nil, attributes: Attributes = [:]
    ) async throws(PlugboardError) -> DefinedResponse {
        try await send(endpoint(name, parameters, body: body, attributes: attributes))
    }

    /// Sends an endpoint by the name of its definition, and returns its value.
    ///
    ///     let topics = try await client.send("TopicList", ["board": "swift"], as: [Topic].self)
    public nonisolated(nonsending) func send<Value: Sendable>(
        _ name: String, _ parameters: Parameters = [:], body: EndpointBody? = nil, attributes: Attributes = [:],
        as type: Value.Type
    ) async throws(PlugboardError) -> Value {
        try await send(endpoint(name, parameters, body: body, attributes: attributes, as: type))
    }

    /// Makes a call by the name of a definition and starts it.
    ///
    ///     client.call("TopicList", ["board": "swift"]).onSuccess { print($0.json) }
    @discardableResult
    public func call(
        _ name: String, _ parameters: Parameters = [:], body: EndpointBody? = nil, attributes: Attributes = [:],
        labels: CallLabels? = nil,
        executor: CallbackExecutor? = nil, debug: DebugBehavior? = nil, isStarted: Bool = true
    ) -> Call<DefinedResponse> {
        call(
            endpoint(name, parameters, body: body, attributes: attributes), labels: labels, executor: executor,
            debug: debug,
            isStarted: isStarted)
    }

    /// Makes a call by the name of a definition, with a typed response, and starts it.
    @discardableResult
    public func call<Value: Sendable>(
        _ name: String, _ parameters: Parameters = [:], body: EndpointBody? = nil, attributes: Attributes = [:],
        as type: Value.Type,
        labels: CallLabels? = nil, executor: CallbackExecutor? = nil, debug: DebugBehavior? = nil,
        isStarted: Bool = true
    ) -> Call<Value> {
        call(
            endpoint(name, parameters, body: body, attributes: attributes, as: type), labels: labels,
            executor: executor, debug: debug,
            isStarted: isStarted)
    }
}
