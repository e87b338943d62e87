import PlugboardCodecs
import PlugboardCore
import PlugboardJSON

// The compiler chooses the witness by the type of the response, so that a type without a codec does not compile.
extension Endpoint where Response: Decodable {
    /// The body, decoded by `responseCodec` or by the codec of its content type; a `String` or `JSONValue` undecoded.
    public func decode(_ response: ReceivedResponse, in client: Client) throws(PlugboardError) -> Response {
        try value(of: response, in: client)
    }
}

extension Endpoint where Response: UndecodedResponse {
    /// The response without decoding.
    ///
    /// Throws `request.option` if the response is a file and there is no `downloadPath`.
    public func decode(_ response: ReceivedResponse, in client: Client) throws(PlugboardError) -> Response {
        try value(of: response, in: client)
    }
}

extension Endpoint where Response == Void {
    // The type is written as in the requirement: from `()` the compiler would infer it for generic endpoints.
    /// Returns nothing.
    public func decode(_ response: ReceivedResponse, in client: Client) throws(PlugboardError) -> Response {
        try value(of: response, in: client)
    }
}

/// A response that is returned without a codec: `Bytes`, `ReceivedResponse`, `StreamedResponse` and
/// `DownloadedFile`. Programs must not add conformances.
public protocol UndecodedResponse: Sendable {}

extension Bytes: UndecodedResponse {}
extension ReceivedResponse: UndecodedResponse {}
extension StreamedResponse: UndecodedResponse {}
extension DownloadedFile: UndecodedResponse {}

extension Endpoint {
    /// The value for the type of the response, according to the table of `Endpoint`.
    func value(of response: ReceivedResponse, in client: Client) throws(PlugboardError) -> Response {
        // The value has the type that was compared, so the cast succeeds.
        if let value = try response.uncoded(Response.self, for: endpointName) { return value as! Response }
        return try client.value(Response.self, from: response, with: responseCodec)
    }
}

extension ReceivedResponse {
    /// The value of a type that needs no codec; nil for any other type.
    ///
    /// The type is compared at run time, because the `Decodable` response of a generic endpoint may be one of these.
    func uncoded(
        _ type: Any.Type, for endpoint: @autoclosure () -> String
    ) throws(PlugboardError) -> (any Sendable)? {
        if type == Void.self { return () }
        if type == Bytes.self { return try wholeBody }
        if type == String.self {
            // The path of a downloaded file, or the whole body as text.
            if let file { return file.path }
            return try text
        }
        if type == JSONValue.self { return try json }
        if type == ReceivedResponse.self { return self }
        if type == StreamedResponse.self { return streamed }
        guard type == DownloadedFile.self else { return nil }
        if let file { return file }
        throw PlugboardError(
            .requestOption, "\(Printable.text(endpoint())) returns a file and has no downloadPath. Add one to it.")
    }
}
