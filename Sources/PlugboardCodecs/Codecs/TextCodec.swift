import PlugboardMessages

/// Plain text: `String`. It writes UTF-8, and reads the charset that the response names.
public struct TextCodec: Sendable {
    /// Creates a codec.
    public init() {}
}

extension TextCodec: Codec {
    public var name: String { "text" }
    public var contentTypes: [String] { ["text/plain", "text/*"] }
    public var writtenType: String { "text/plain; charset=utf-8" }

    public func canDecode<Value>(_ type: Value.Type) -> Bool { type == String.self }

    public func encode<Value>(_ value: Value) throws(PlugboardError) -> Bytes {
        switch value {
        case let text as String: return Bytes(text)
        case let text as Substring: return Bytes(String(text))
        default: throw PlugboardError(.requestParameter, "The codec text takes String, and not \(Value.self).")
        }
    }

    public func decode<Value>(
        _ type: Value.Type, from body: Bytes, contentType: String?
    ) throws(PlugboardError) -> Value {
        guard let text = try Charset.text(of: body, contentType: contentType) as? Value else {
            throw PlugboardError(.bodyDecode, "The codec text makes String, and not \(type).")
        }
        return text
    }
}

extension Codec where Self == TextCodec {
    /// Plain text: `String`.
    public static var text: TextCodec { TextCodec() }
}
