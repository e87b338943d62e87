import PlugboardCodecs
import PlugboardCore

/// The body of an endpoint.
public struct EndpointBody: Sendable {
    /// Nil for a body that is made of the parameters.
    let make: (@Sendable (any Codec) throws(PlugboardError) -> (body: Body, type: String?))?

    /// The body is made of the endpoint's parameters, if the method has a body.
    public static let parameters = EndpointBody(make: nil)

    /// Any body, with its media type.
    public static func body(_ body: Body, type: String?) -> EndpointBody {
        EndpointBody { _ throws(PlugboardError) in (body, type) }
    }

    /// Bytes in memory.
    public static func bytes(_ bytes: Bytes, type: String = "application/octet-stream") -> EndpointBody {
        .body(.bytes(bytes), type: type)
    }

    /// A text in UTF-8.
    public static func text(_ text: String, type: String = "text/plain; charset=utf-8") -> EndpointBody {
        .body(.text(text), type: type)
    }

    /// A file, which is opened when the request is made and read while the request is sent.
    public static func file(_ path: String, type: String = "application/octet-stream") -> EndpointBody {
        EndpointBody { _ throws(PlugboardError) in (try Body.file(path), type) }
    }

    /// A form with files, which are read while the request is sent.
    ///
    ///     var body: EndpointBody { get throws(PlugboardError) { .multipart([try .file("photo", path)]) } }
    public static func multipart(_ parts: [MultipartForm.Part]) -> EndpointBody {
        EndpointBody { _ throws(PlugboardError) in
            let form = MultipartForm(parts)
            return (try form.body(), form.contentType)
        }
    }

    /// A value that a codec writes; with nil, the endpoint's `requestCodec` or else the client's.
    public static func value<Value: Sendable>(_ value: Value, with codec: (any Codec)? = nil) -> EndpointBody {
        EndpointBody { general throws(PlugboardError) in
            let codec = codec ?? general
            return (.bytes(try codec.encode(value)), codec.writtenType)
        }
    }
}
