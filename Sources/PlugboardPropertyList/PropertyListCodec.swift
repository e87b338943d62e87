import FoundationEssentials
public import PlugboardCodecs
public import PlugboardMessages

/// Property lists, XML or binary: any `Encodable` and `Decodable` value. Always reads both formats.
public struct PropertyListCodec: Sendable {
    /// The written format.
    public enum Format: Sendable {
        /// A text.
        case xml
        /// A smaller and faster format.
        case binary
    }

    /// The written format.
    public let format: Format

    /// Creates a codec.
    public init(format: Format = .xml) { self.format = format }
}

extension PropertyListCodec: Codec {
    public var name: String { "plist" }
    public var contentTypes: [String] { ["application/x-plist"] }

    public func canDecode<Value>(_ type: Value.Type) -> Bool { type is any Decodable.Type }

    public func encode<Value>(_ value: Value) throws(PlugboardError) -> Bytes {
        guard let value = value as? any Encodable else {
            throw PlugboardError(.requestParameter, "The codec plist takes Encodable values, and \(Value.self) is not.")
        }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format == .xml ? .xml : .binary
        do {
            return Bytes([UInt8](try encoder.encode(value)))
        } catch {
            throw PlugboardError(
                .requestParameter, "The value cannot be encoded as a property list: \(PropertyList.reason(error)).")
        }
    }

    public func decode<Value>(
        _ type: Value.Type, from body: Bytes, contentType: String?
    ) throws(PlugboardError) -> Value {
        guard let decodable = type as? any Decodable.Type else {
            throw PlugboardError(.bodyDecode, "The codec plist makes Decodable values, and \(type) is not.")
        }
        let isBinary = body.withUnsafeBytes(PropertyListShape.isBinary)
        // Foundation's parser requires valid text.
        let body = isBinary ? body : Bytes(try XMLText.decode(body, contentType: contentType))
        do throws(PropertyListShape.Refused) {
            try body.withUnsafeBytes { bytes throws(PropertyListShape.Refused) in try PropertyListShape.check(bytes) }
        } catch {
            throw PlugboardError(.bodyDecode, "The body is not a property list: \(error.reason).")
        }
        do {
            let readable = isBinary ? body : inUTF8(body)
            let decoded = try PropertyListDecoder().decode(decodable, from: Data(readable.array))
            if let value = decoded as? Value { return value }
        } catch {
            throw PlugboardError(
                .bodyDecode, "The property list of the body cannot be read as \(type): \(PropertyList.reason(error)).")
        }
        throw PlugboardError(.bodyDecode, "The property list of the body is of another type than \(type).")
    }
}

/// The document, with its declaration replaced by one of UTF-8.
private func inUTF8(_ document: Bytes) -> Bytes {
    let declaration = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>".utf8)
    let text = document.array
    guard text.starts(with: "<?xml".utf8), let end = text.firstIndex(of: UInt8(ascii: ">")) else {
        return Bytes(declaration + text)
    }
    return Bytes(declaration + text[(end + 1)...])
}

extension Codec where Self == PropertyListCodec {
    /// Property lists: `Encodable` and `Decodable` values, written as XML.
    public static var propertyList: PropertyListCodec { PropertyListCodec() }
}
