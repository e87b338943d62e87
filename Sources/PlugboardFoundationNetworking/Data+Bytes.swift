public import Foundation
public import PlugboardMessages

extension Data {
    /// A copy of the bytes.
    public init(_ bytes: Bytes) { self = bytes.withUnsafeBytes { Data($0) } }
}

extension Bytes {
    /// A copy of the bytes.
    public init(_ data: Data) { self = data.withUnsafeBytes { Bytes(copying: $0) } }
}

extension Body {
    /// A body in memory. It can be sent again.
    public static func data(_ data: Data) -> Body { .bytes(Bytes(data)) }

    /// The bytes of an input stream that must not be open yet. The body cannot be sent again.
    ///
    /// The stream is read on its own queue, as fast as the body is sent. From now on it belongs to the body.
    ///
    /// - Parameter length: The total number of bytes; nil if it is unknown.
    public static func stream(_ stream: InputStream, length: Int? = nil) -> Body {
        Body(InputStreamSource(stream, length: length))
    }
}
