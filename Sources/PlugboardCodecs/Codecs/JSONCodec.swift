import PlugboardJSON
import PlugboardJSONCoding
public import PlugboardMessages

/// JSON (RFC 8259).
public struct JSONCodec: Codec {
    /// A codec.
    public init() {}
    /// `json`.
    public var name: String { "json" }
    /// JSON and its suffix.
    public var contentTypes: [String] { ["application/json", "*/*+json"] }

    /// The JSON text of a value.
    public func encode<Value>(_ value: Value) throws(PlugboardError) -> Bytes {
        if let parameters = value as? Parameters {
            return try encode(JSONValue.object(JSONObject(parameters.map { ($0.name, $0.value) })))
        }
        guard let value = value as? any Encodable else {
            throw PlugboardError(.requestParameter, "\(Value.self) is not Encodable, which JSON needs.")
        }
        do { return Bytes("\(try JSONValueEncoder().encode(value))") } catch {
            throw PlugboardError(.requestParameter, "The value cannot be written as JSON: \(error).")
        }
    }

    /// The value of a JSON text.
    public func decode<Value>(
        _ type: Value.Type, from body: Bytes, contentType: String?
    ) throws(PlugboardError) -> Value {
        guard let decodable = type as? any Decodable.Type else {
            throw PlugboardError(.bodyDecode, "\(Value.self) is not Decodable, which JSON needs.")
        }
        do {
            let value = try JSONParser.parse(body.array)
            guard let model = try JSONValueDecoder(strict: false).decode(decodable, from: value) as? Value else {
                throw PlugboardError(.kernel, "The decoder returned another type.")
            }
            return model
        } catch let error as PlugboardError {
            throw error
        } catch {
            throw PlugboardError(.bodyDecode, "The body cannot be decoded as \(Value.self): \(error).")
        }
    }
}

extension Codec where Self == JSONCodec {
    /// JSON.
    public static var json: JSONCodec { JSONCodec() }
}
