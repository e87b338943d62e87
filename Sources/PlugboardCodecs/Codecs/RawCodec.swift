import PlugboardMessages

/// Bytes without conversion: `Bytes` or `[UInt8]`. It also writes texts, in UTF-8.
public struct RawCodec: Sendable {
    /// Creates a codec.
    public init() {}
}

extension RawCodec: Codec {
    public var name: String { "raw" }
    public var contentTypes: [String] { ["application/octet-stream"] }

    public func canDecode<Value>(_ type: Value.Type) -> Bool { type == Bytes.self || type == [UInt8].self }

    public func encode<Value>(_ value: Value) throws(PlugboardError) -> Bytes {
        switch value {
        case let bytes as Bytes: return bytes
        case let array as [UInt8]: return Bytes(array)
        case let text as String: return Bytes(text)
        default:
            throw PlugboardError(
                .requestParameter, "The codec raw takes Bytes, [UInt8] or String, and not \(Value.self).")
        }
    }

    public func decode<Value>(
        _ type: Value.Type, from body: Bytes, contentType: String?
    ) throws(PlugboardError) -> Value {
        if let bytes = body as? Value { return bytes }
        if type == [UInt8].self, let array = body.array as? Value { return array }
        throw PlugboardError(.bodyDecode, "The codec raw makes Bytes or [UInt8], and not \(type).")
    }
}

extension Codec where Self == RawCodec {
    /// Bytes without conversion: `Bytes` or `[UInt8]`.
    public static var raw: RawCodec { RawCodec() }
}
