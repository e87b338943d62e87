import PlugboardCodecs
import PlugboardCore
import PlugboardJSON

extension Endpoint {
    /// The whole body, decoded by the codec.
    public func decode(_ response: ReceivedResponse, in client: Client) throws(PlugboardError) -> Response {
        try client.decode(Response.self, from: response, with: responseCodec)
    }
}

extension Endpoint where Response == Void {
    /// Nothing.
    public func decode(_ response: ReceivedResponse, in client: Client) throws(PlugboardError) {}
}

extension Endpoint where Response == Bytes {
    /// The whole body.
    public func decode(_ response: ReceivedResponse, in client: Client) throws(PlugboardError) -> Bytes {
        try response.wholeBody
    }
}

extension Endpoint where Response == String {
    /// The path of the downloaded file; without a download, the whole body as text.
    public func decode(_ response: ReceivedResponse, in client: Client) throws(PlugboardError) -> String {
        if let file = response.file { return file.path }
        return try response.text
    }
}

extension Endpoint where Response == JSONValue {
    /// The whole body as a JSON value.
    public func decode(_ response: ReceivedResponse, in client: Client) throws(PlugboardError) -> JSONValue {
        try response.json
    }
}

extension Endpoint where Response == ReceivedResponse {
    /// The response itself.
    public func decode(_ response: ReceivedResponse, in client: Client) throws(PlugboardError) -> ReceivedResponse {
        response
    }
}

extension Endpoint where Response == StreamedResponse {
    /// The response, with a body that is not read yet.
    public func decode(_ response: ReceivedResponse, in client: Client) throws(PlugboardError) -> StreamedResponse {
        response.streamed
    }
}

extension Endpoint where Response == DownloadedFile {
    /// The file.
    ///
    /// Throws `request.option` if the endpoint has no `downloadPath`.
    public func decode(_ response: ReceivedResponse, in client: Client) throws(PlugboardError) -> DownloadedFile {
        if let file = response.file { return file }
        throw PlugboardError(
            .requestOption, "\(Self.self) returns a file and has no downloadPath. Add one to the endpoint.")
    }
}
