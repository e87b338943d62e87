public import Foundation
public import PlugboardMessages

extension Data {
    /// The same bytes, in memory of their own.
    public init(_ bytes: Bytes) { self = bytes.withUnsafeBytes { Data($0) } }
}

extension Bytes {
    /// The same bytes, in memory of their own.
    public init(_ data: Data) { self = data.withUnsafeBytes { Bytes(copying: $0) } }
}

extension Body {
    /// A body in memory. It can be sent again.
    public static func data(_ data: Data) -> Body { .bytes(Bytes(data)) }

    /// The bytes of an input stream that is not open yet. It cannot be sent again.
    ///
    /// The stream is read on a thread of its own, as fast as the body is sent. From here on it belongs to the body.
    ///
    /// - Parameter length: The number of bytes in all; nil if it is not known.
    public static func stream(_ stream: InputStream, length: Int? = nil) -> Body {
        Body(InputStreamSource(stream, length: length))
    }
}
