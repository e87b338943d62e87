import PlugboardCodecs
import PlugboardCore
public import PlugboardJSON

/// The untyped response to an endpoint that was called by name, as its definition describes it.
public struct DefinedResponse: Sendable {
    /// The content of the body.
    public enum Content: Sendable {
        /// The definition expects no content.
        case none
        /// The body as it was received, in `response`.
        case raw
        /// JSON.
        case json(JSONValue)
        /// A value of the client's model that the definition names; an array of them for a list.
        case model(any Sendable)
    }

    /// Head and body.
    public let response: ReceivedResponse
    /// The content of the body.
    public let content: Content

    /// The status of the response.
    public var status: Int { response.status }

    /// The body as JSON; nil if it is not JSON, or is a model.
    public var json: JSONValue? {
        if case .json(let value) = content { value } else { nil }
    }

    /// The model, if it has this type.
    public func model<Model>(_ type: Model.Type = Model.self) -> Model? {
        if case .model(let model) = content { model as? Model } else { nil }
    }

    /// Reads the content that the definition expects.
    init(_ response: ReceivedResponse, _ definition: Definition, _ client: Client) throws(PlugboardError) {
        self.response = response
        content = try DefinedResponse.content(response, definition, client)
    }

    private static func content(
        _ response: ReceivedResponse, _ definition: Definition, _ client: Client
    ) throws(PlugboardError) -> Content {
        if response.file != nil { return .raw }
        let shape = definition.response
        if shape == Definition.Expectation.none { return .none }
        if shape == .raw { return .raw }
        let type = response[.contentType]
        guard case .bytes(let bytes, true) = response.content else { return .raw }
        // A response such as 204 has no body.
        if bytes.count == 0 { return .none }
        let codec = try client.settings.codec(named: definition.responseCodec, of: definition)
        if let name = definition.responseType, try isModel(name, definition, client) {
            let whole = shape == .list ? "[\(name)]" : name
            let set = client.settings.codecs
            let reader = codec ?? set.codec(for: type, decoding: JSONValue.self) ?? JSONCodec()
            return .model(try client.settings.models.decode(whole, from: bytes, contentType: type, with: reader))
        }
        if shape == nil && codec == nil {
            guard let type, JSONParser.isJSON(type) else { return .raw }
        }
        let value = try client.decode(JSONValue.self, from: response, with: codec ?? JSONCodec())
        if shape == .list, value.arrayValue == nil { throw mismatch(definition, "a list", value) }
        if shape == .object, value.objectValue == nil { throw mismatch(definition, "an object", value) }
        return .json(value)
    }

    /// Whether the client has the type that a definition names. Throws if the type is missing and required.
    private static func isModel(
        _ name: String, _ definition: Definition, _ client: Client
    ) throws(PlugboardError) -> Bool {
        guard definition.isResponseTypeOptional else {
            try client.settings.models.check(name)
            return true
        }
        do throws(PlugboardError) {
            try client.settings.models.check(name)
            return true
        } catch {
            return false
        }
    }

    private static func mismatch(_ definition: Definition, _ wanted: String, _ value: JSONValue) -> PlugboardError {
        PlugboardError(
            .bodyDecode,
            "\(Printable.text(definition.name)) expects \(wanted) and the response's body is \(value.kind).")
    }
}
