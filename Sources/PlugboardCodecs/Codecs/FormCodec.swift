import PlugboardJSON
import PlugboardJSONCoding
import PlugboardMessages

/// Forms, `application/x-www-form-urlencoded`: writes `Parameters`, or any value that is encoded as an object.
///
/// Reads flat forms of names and texts. A name that occurs more than once becomes an array.
public struct FormCodec: Sendable {
    /// How nested values are written.
    public let style: ParameterStyle

    /// Creates a codec.
    public init(style: ParameterStyle = ParameterStyle()) { self.style = style }
}

extension FormCodec: Codec {
    public var name: String { "form" }
    public var contentTypes: [String] { ["application/x-www-form-urlencoded"] }

    public func canDecode<Value>(_ type: Value.Type) -> Bool {
        type == Parameters.self || type is any Decodable.Type
    }

    public func encode<Value>(_ value: Value) throws(PlugboardError) -> Bytes {
        if let parameters = value as? Parameters { return Bytes(try parameters.form(style)) }
        guard let value = value as? any Encodable else {
            throw PlugboardError(
                .requestParameter, "The codec form takes Parameters or Encodable values, and \(Value.self) is neither.")
        }
        return Bytes(try Parameters(encoding: value).form(style))
    }

    public func decode<Value>(
        _ type: Value.Type, from body: Bytes, contentType: String?
    ) throws(PlugboardError) -> Value {
        let parameters = Parameters(form: body)
        if let parameters = parameters as? Value { return parameters }
        guard let decodable = type as? any Decodable.Type else {
            throw PlugboardError(.bodyDecode, "The codec form makes Parameters or Decodable values, and not \(type).")
        }
        let object = try parameters.gathered()
        var decoder = CodecSet.standardJSON.decoder
        decoder.strict = false
        decoder.keys = .unchanged
        func decoded<Model: Decodable>(_ model: Model.Type) throws(JSONDecodingError) -> Value? {
            try decoder.decode(model, from: .object(object)) as? Value
        }
        do throws(JSONDecodingError) {
            guard let value = try decoded(decodable) else {
                throw JSONDecodingError(path: JSONPath(), reason: "the value is of another type")
            }
            return value
        } catch {
            throw PlugboardError(
                .bodyDecode, "The form of the body, whose values are texts, does not fit \(type): \(error).")
        }
    }
}

extension Codec where Self == FormCodec {
    /// Forms, `application/x-www-form-urlencoded`: `Parameters` or `Encodable` values.
    public static var form: FormCodec { FormCodec() }
}
