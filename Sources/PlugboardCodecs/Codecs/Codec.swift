import PlugboardMessages

/// Writes values as bodies, and reads values from bodies.
///
/// A codec lists the media types that it supports. If it does not support a type of values, it throws: JSON supports
/// `Encodable` and `Decodable` values, a text codec `String`, a codec of Protocol Buffers messages.
///
///     let topics = try await response.decode([Topic].self, with: .json)
///
/// A codec has no state of its own, and can be used from any task.
public protocol Codec: Sendable {
    /// Its name in definitions of endpoints, such as `json`.
    var name: String { get }

    /// The media types that it reads, such as `application/json`, without parameters. The first is the one that it
    /// writes. A type of the form `*/*+json` stands for all with this suffix (RFC 6839).
    var contentTypes: [String] { get }

    /// The value of `Content-Type` for what the codec writes. By default the first of `contentTypes`.
    var writtenType: String { get }

    /// Whether the codec can make values of this type; if not, a set of codecs chooses another. True by default.
    func canDecode<Value>(_ type: Value.Type) -> Bool

    /// The bytes of a value.
    ///
    /// Throws `request.parameter` if the value cannot be written.
    func encode<Value>(_ value: Value) throws(PlugboardError) -> Bytes

    /// The value in a whole body.
    ///
    /// Throws `body.decode` if the bytes are not of the format, or do not fit the type.
    /// - Parameter contentType: The value of the field `Content-Type`, whose parameters may be used (`charset`); nil if
    ///   the response has none.
    func decode<Value>(
        _ type: Value.Type, from body: Bytes, contentType: String?
    ) throws(PlugboardError) -> Value
}

extension Codec {
    public var writtenType: String { contentTypes.first ?? "application/octet-stream" }
    public func canDecode<Value>(_ type: Value.Type) -> Bool { true }
}
