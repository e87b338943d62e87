import FoundationEssentials
import PlugboardFieldValues
public import PlugboardJSON
public import PlugboardMessages

/// Property lists without a model.
public enum PropertyList {
    /// The property list, XML or binary, as JSON. Dates become texts of ISO 8601 in UTC, and data texts in Base64.
    ///
    /// Keys are sorted, because property lists have no order. Numbers with a fraction are doubles. Throws `body.decode`
    /// if the bytes are not a property list.
    public static func json(from bytes: Bytes) throws(PlugboardError) -> JSONValue {
        try PropertyListCodec().decode(AnyValue.self, from: bytes, contentType: nil).json
    }

    /// The path and the reason, without values.
    static func reason(_ error: any Error) -> String {
        switch error {
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.keyNotFound(_, let context):
            return "\(path(context.codingPath)): \(context.debugDescription)"
        case DecodingError.dataCorrupted(let context):
            // The reason of Foundation's parser, with its line.
            let inner = (context.underlyingError as? CocoaError)?.userInfo["NSDebugDescription"]
            return "\(path(context.codingPath)): \(inner ?? context.debugDescription)"
        case EncodingError.invalidValue(_, let context):
            return "\(path(context.codingPath)): \(context.debugDescription)"
        default: return "\(error)"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        "\(JSONPath(keys.map { key in key.intValue.map { .index($0) } ?? .key(key.stringValue) }))"
    }
}

/// A value of any type that property lists support.
private struct AnyValue: Decodable {
    let json: JSONValue

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if var array = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !array.isAtEnd { elements.append(try array.decode(AnyValue.self).json) }
            json = .array(elements)
        } else if let object = try? decoder.container(keyedBy: Name.self) {
            let keys = object.allKeys.sorted { $0.stringValue < $1.stringValue }
            json = .object(
                JSONObject(try keys.map { ($0.stringValue, try object.decode(AnyValue.self, forKey: $0).json) }))
        } else {
            json = try Self.scalar(try decoder.singleValueContainer())
        }
    }

    private static func scalar(_ value: any SingleValueDecodingContainer) throws -> JSONValue {
        if let text = try? value.decode(String.self) { return .string(text) }
        if let bool = try? value.decode(Bool.self) { return .bool(bool) }
        if let integer = try? value.decode(Int64.self) { return .number(JSONNumber(integer)) }
        if let integer = try? value.decode(UInt64.self) { return .number(JSONNumber(integer)) }
        if let double = try? value.decode(Double.self) {
            guard let number = JSONNumber(double) else {
                throw DecodingError.dataCorruptedError(
                    in: value, debugDescription: "JSON has no number for infinity or NaN")
            }
            return .number(number)
        }
        if let date = try? value.decode(Date.self) { return .string(date.formatted(.iso8601)) }
        return .string(try value.decode(Data.self).base64EncodedString())
    }
}
