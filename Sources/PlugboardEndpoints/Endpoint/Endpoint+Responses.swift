import PlugboardCodecs
import PlugboardCore
import PlugboardJSON

extension Endpoint {
    /// What the table of `Endpoint` says for the type of the response.
    ///
    /// Throws `request.option` if a file is wanted and there is no `downloadPath`.
    public func decode(_ response: ReceivedResponse, in client: Client) throws(PlugboardError) -> Response {
        if let value = try response.value(as: Response.self, for: endpointName) { return value }
        return try client.decode(Response.self, from: response, with: responseCodec)
    }
}

extension ReceivedResponse {
    /// The value of a type that needs no codec; nil for other types.
    ///
    /// The type is looked at when the program runs, and not by constrained extensions: with these, the compiler would
    /// not find the response's type of a generic endpoint.
    func value<Value>(as type: Value.Type, for endpoint: @autoclosure () -> String) throws(PlugboardError) -> Value? {
        if type == Void.self { return () as? Value }
        if type == Bytes.self { return try wholeBody as? Value }
        if type == String.self {
            // The path of a downloaded file; without a download, the whole body as text.
            if let file { return file.path as? Value }
            return try text as? Value
        }
        if type == JSONValue.self { return try json as? Value }
        if type == ReceivedResponse.self { return self as? Value }
        if type == StreamedResponse.self { return streamed as? Value }
        if type == DownloadedFile.self {
            if let file { return file as? Value }
            throw PlugboardError(
                .requestOption,
                "\(Printable.text(endpoint())) returns a file and has no downloadPath. Add one to it.")
        }
        return nil
    }
}
