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
        guard let type = PlainType(Response.self) else {
            return try client.value(Response.self, from: response, with: responseCodec)
        }
        // The cast succeeds, because `PlainType` compared the types.
        return try response.value(of: type, for: endpointName) as! Response
    }
}

/// A type of response that needs no codec.
///
/// The type is compared at run time, because the `Decodable` response of a generic endpoint may be one of these.
enum PlainType {
    case void, bytes, string, json, received, streamed, file

    init?(_ type: Any.Type) {
        if type == Void.self {
            self = .void
        } else if type == Bytes.self {
            self = .bytes
        } else if type == String.self {
            self = .string
        } else if type == JSONValue.self {
            self = .json
        } else if type == ReceivedResponse.self {
            self = .received
        } else if type == StreamedResponse.self {
            self = .streamed
        } else if type == DownloadedFile.self {
            self = .file
        } else {
            return nil
        }
    }
}

extension ReceivedResponse {
    /// A value of this type.
    func value(of type: PlainType, for endpoint: @autoclosure () -> String) throws(PlugboardError) -> any Sendable {
        switch type {
        case .void: return ()
        case .bytes: return try wholeBody
        // The path of a downloaded file, or the whole body as text.
        case .string:
            if let file { return file.path }
            return try text
        case .json: return try json
        case .received: return self
        case .streamed: return streamed
        case .file:
            if let file { return file }
            throw PlugboardError(
                .requestOption,
                "\(Printable.text(endpoint())) returns a file and has no downloadPath. Add one to it.")
        }
    }
}
