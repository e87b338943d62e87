import PlugboardJSON

// The coders of this module pass values unchanged. With others, numbers become integers if they fit, or else doubles.

extension JSONValue: Codable {
    /// Decodes the value unchanged with `JSONValueDecoder`; other decoders convert numbers.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let number = try? container.decode(JSONNumber.self) {
            self = .number(number)
        } else if let array = try? container.decode([JSONValue].self) {
            self = .array(array)
        } else {
            self = .object(try container.decode(JSONObject.self))
        }
    }

    /// Encodes the value unchanged with `JSONValueEncoder`; other encoders convert numbers.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let bool): try container.encode(bool)
        case .number(let number): try container.encode(number)
        case .string(let string): try container.encode(string)
        case .array(let array): try container.encode(array)
        case .object(let object): try container.encode(object)
        }
    }
}

extension JSONNumber: Codable {
    /// Decodes the value unchanged with `JSONValueDecoder`; other decoders convert numbers.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let integer = try? container.decode(Int64.self) {
            self.init(integer)
        } else if let integer = try? container.decode(UInt64.self) {
            self.init(integer)
        } else if let number = JSONNumber(try container.decode(Double.self)) {
            self = number
        } else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "a finite number is expected")
        }
    }

    /// Encodes the value unchanged with `JSONValueEncoder`; other encoders convert numbers.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let integer = int64 {
            try container.encode(integer)
        } else if let integer = integer(UInt64.self) {
            try container.encode(integer)
        } else {
            try container.encode(double)
        }
    }
}

extension JSONObject: Codable {
    private struct MemberKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Decodes the value unchanged with `JSONValueDecoder`; other decoders convert numbers.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: MemberKey.self)
        self.init()
        for key in container.allKeys {
            updateValue(try container.decode(JSONValue.self, forKey: key), forKey: key.stringValue)
        }
    }

    /// Encodes the value unchanged with `JSONValueEncoder`; other encoders convert numbers.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberKey.self)
        for (key, value) in self { try container.encode(value, forKey: MemberKey(stringValue: key)) }
    }
}
