import PlugboardJSON
import PlugboardJSONCoding
import PlugboardMessages

/// JSON (RFC 8259): any `Encodable` and `Decodable` value, or a `JSONValue`.
///
/// Keys that a type does not read are ignored.
public struct JSONCodec: Codec {
    /// A codec.
    public init() {}

    public var name: String { "json" }
    public var contentTypes: [String] { ["application/json", "*/*+json", "text/json"] }

    public func canDecode<Value>(_ type: Value.Type) -> Bool { type is any Decodable.Type }

    public func encode<Value>(_ value: Value) throws(PlugboardError) -> Bytes {
        guard let value = value as? any Encodable else {
            throw PlugboardError(.requestParameter, "The codec json takes Encodable values, and \(Value.self) is not.")
        }
        do throws(JSONEncodingError) {
            return Bytes(JSONWriter.write(try JSONValueEncoder().encode(value)) as [UInt8])
        } catch {
            throw PlugboardError(.requestParameter, "The value cannot be encoded as JSON: \(error).")
        }
    }

    public func decode<Value>(
        _ type: Value.Type, from body: Bytes, contentType: String?
    ) throws(PlugboardError) -> Value {
        let json: JSONValue
        do throws(JSONError) {
            json = try body.withUnsafeBytes { bytes throws(JSONError) in try JSONParser.parse(bytes) }
        } catch {
            throw PlugboardError(.bodyDecode, "The body is not JSON: \(error).")
        }
        if let value = json as? Value { return value }
        guard let decodable = type as? any Decodable.Type else {
            throw PlugboardError(.bodyDecode, "The codec json makes Decodable values, and \(type) is not.")
        }
        func decoded<Model: Decodable>(_ model: Model.Type) throws(JSONDecodingError) -> Value? {
            try JSONValueDecoder(strict: false).decode(model, from: json) as? Value
        }
        do throws(JSONDecodingError) {
            guard let value = try decoded(decodable) else {
                throw JSONDecodingError(path: JSONPath(), reason: "the value is of another type")
            }
            return value
        } catch {
            throw PlugboardError(.bodyDecode, "The JSON of the body does not fit \(type): \(error).")
        }
    }
}

extension Codec where Self == JSONCodec {
    /// JSON (RFC 8259): `Encodable` and `Decodable` values.
    public static var json: JSONCodec { JSONCodec() }
}
