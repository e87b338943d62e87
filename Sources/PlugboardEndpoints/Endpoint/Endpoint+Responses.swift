import PlugboardCodecs
import PlugboardCore
import PlugboardJSON

extension Endpoint {
    /// What the table of `Endpoint` says for the type of the response.
    ///
    /// Throws `request.option` if a file is wanted and there is no `downloadPath`.
    public func decode(_ response: ReceivedResponse, in client: Client) throws(PlugboardError) -> Response {
        guard let type = PlainType(Response.self) else {
            return try client.decode(Response.self, from: response, with: responseCodec)
        }
        // The value has the type that was compared, so the cast succeeds.
        return try response.value(of: type, for: endpointName) as! Response
    }
}

/// A type of response that needs no codec.
///
/// The type is looked at when the program runs, and not by constrained extensions: with these, the compiler would not
/// find the response's type of a generic endpoint.
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
