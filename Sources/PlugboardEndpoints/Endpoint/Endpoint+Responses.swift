import PlugboardCodecs
import PlugboardCore
import PlugboardJSON

// The compiler finds the witness by the type of the response, so that a type that no codec can read does not compile.
extension Endpoint where Response: Decodable {
    /// The body, decoded by `responseCodec` or by the codec of its content type; a `String` or `JSONValue` as it is.
    public func decode(_ response: ReceivedResponse, in client: Client) throws(PlugboardError) -> Response {
        try value(of: response, in: client)
    }
}

extension Endpoint where Response: UndecodedResponse {
    /// The response as it is.
    ///
    /// Throws `request.option` if a file is wanted and there is no `downloadPath`.
    public func decode(_ response: ReceivedResponse, in client: Client) throws(PlugboardError) -> Response {
        try value(of: response, in: client)
    }
}

extension Endpoint where Response == Void {
    // The type is written as in the requirement: from `()` the compiler would infer it for generic endpoints.
    /// Nothing.
    public func decode(_ response: ReceivedResponse, in client: Client) throws(PlugboardError) -> Response {
        try value(of: response, in: client)
    }
}

/// A response that is returned as it is, without a codec: `Bytes`, `ReceivedResponse`, `StreamedResponse` and
/// `DownloadedFile`. A program adds no conformances.
public protocol UndecodedResponse: Sendable {}

extension Bytes: UndecodedResponse {}
extension ReceivedResponse: UndecodedResponse {}
extension StreamedResponse: UndecodedResponse {}
extension DownloadedFile: UndecodedResponse {}

extension Endpoint {
    /// What the table of `Endpoint` says for the type of the response.
    func value(of response: ReceivedResponse, in client: Client) throws(PlugboardError) -> Response {
        guard let type = PlainType(Response.self) else {
            return try client.value(Response.self, from: response, with: responseCodec)
        }
        // The value has the type that was compared, so the cast succeeds.
        return try response.value(of: type, for: endpointName) as! Response
    }
}

/// A type of response that needs no codec.
///
/// The type is looked at when the program runs, because the `Decodable` response of a generic endpoint may be one.
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
    /// A value of the type that this stands for.
    func value(of type: PlainType, for endpoint: @autoclosure () -> String) throws(PlugboardError) -> any Sendable {
        switch type {
        case .void: return ()
        case .bytes: return try wholeBody
        // The path of a downloaded file; without a download, the whole body as text.
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
