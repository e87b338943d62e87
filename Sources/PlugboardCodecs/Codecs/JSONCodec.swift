import PlugboardJSON
import PlugboardJSONCoding
import PlugboardMessages

/// JSON (RFC 8259): any `Encodable` and `Decodable` value, or a `JSONValue`.
///
/// Keys that a type does not read are ignored, unless the decoder is strict:
///
///     var codec = JSONCodec(keys: .snakeCase)
///     codec.decoder.strict = true
///     codec.decoder.read(Date.self) { try Date($0.singleValueContainer().decode(String.self), strategy: .iso8601) }
public struct JSONCodec: Sendable {
    /// Reads bodies.
    public var decoder: JSONValueDecoder
    /// Writes bodies.
    public var encoder: JSONValueEncoder

    /// Creates a codec.
    /// - Parameter keys: How keys are spelled, in both directions.
    public init(keys: JSONKeyStrategy = .unchanged) {
        decoder = JSONValueDecoder(strict: false, keys: keys)
        encoder = JSONValueEncoder(keys: keys)
    }
}

extension JSONCodec: Codec {
    public var name: String { "json" }
    public var contentTypes: [String] { ["application/json", "*/*+json", "text/json"] }

    public func canDecode<Value>(_ type: Value.Type) -> Bool { type is any Decodable.Type }

    public func encode<Value>(_ value: Value) throws(PlugboardError) -> Bytes {
        guard let value = value as? any Encodable else {
            throw PlugboardError(.requestParameter, "The codec json takes Encodable values, and \(Value.self) is not.")
        }
        do throws(JSONEncodingError) {
            return Bytes(try encoder.bytes(of: value))
        } catch {
            throw PlugboardError(.requestParameter, "The value cannot be encoded as JSON: \(error).")
        }
    }

    public func decode<Value>(
        _ type: Value.Type, from body: Bytes, contentType: String?
    ) throws(PlugboardError) -> Value {
        guard let decodable = type as? any Decodable.Type else {
            throw PlugboardError(.bodyDecode, "The codec json makes Decodable values, and \(type) is not.")
        }
        func decoded<Model: Decodable>(_ model: Model.Type) throws(JSONDecodingError) -> Value? {
            try body.withUnsafeBytes { bytes throws(JSONDecodingError) in try decoder.decode(model, from: bytes) }
                as? Value
        }
        do throws(JSONDecodingError) {
            guard let value = try decoded(decodable) else {
                throw JSONDecodingError(path: JSONPath(), reason: "the value is of another type")
            }
            return value
        } catch {
            let problem = error.position == nil ? "The JSON of the body does not fit \(type)" : "The body is not JSON"
            throw PlugboardError(.bodyDecode, "\(problem): \(error).")
        }
    }
}

extension Codec where Self == JSONCodec {
    /// JSON (RFC 8259): `Encodable` and `Decodable` values.
    public static var json: JSONCodec { JSONCodec() }
}
