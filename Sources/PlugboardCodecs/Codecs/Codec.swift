import PlugboardMessages

/// Writes values as bodies, and reads values from bodies.
///
/// A codec says which media types it is for. Which types of values it takes, it says with its first error: JSON takes
/// `Encodable` and `Decodable` values, a text codec takes `String`, a codec of Protocol Buffers takes messages.
///
///     let topics = try await response.decode([Topic].self, with: .json)
///
/// A codec is a value without state of its own, and is used from any task.
public protocol Codec: Sendable {
    /// What it is called in definitions of endpoints, such as `json`.
    var name: String { get }

    /// The media types that it reads, such as `application/json`, without parameters. The first is the one that it
    /// writes. A type of the form `*/*+json` stands for all with this suffix (RFC 6839).
    var contentTypes: [String] { get }

    /// The value of `Content-Type` for what the codec writes. By default the first of `contentTypes`.
    var writtenType: String { get }

    /// Whether values of this type can be made at all, so that a set of codecs can choose another one. True by default.
    func canDecode<Value>(_ type: Value.Type) -> Bool

    /// The bytes of a value.
    ///
    /// Throws `request.parameter` if the value cannot be written.
    func encode<Value>(_ value: Value) throws(PlugboardError) -> Bytes

    /// The value in a whole body.
    ///
    /// Throws `body.decode` if the bytes are not of the format, or do not fit the type.
    /// - Parameter contentType: The value of the field `Content-Type`, whose parameters may matter (`charset`); nil if
    ///   the response has none.
    func decode<Value>(
        _ type: Value.Type, from body: Bytes, contentType: String?
    ) throws(PlugboardError) -> Value
}

extension Codec {
    public var writtenType: String { contentTypes.first ?? "application/octet-stream" }
    public func canDecode<Value>(_ type: Value.Type) -> Bool { true }
}
