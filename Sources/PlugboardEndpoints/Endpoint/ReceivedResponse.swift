import PlugboardCodecs
import PlugboardCore
public import PlugboardJSON

/// The response to an endpoint, as its hooks, the client's judge and the decoder receive it.
public struct ReceivedResponse: Sendable {
    /// The body, in a form that depends on the endpoint's response type.
    public enum Content: Sendable {
        /// The body in memory. Only its first bytes if the response is refused for its status or type.
        case bytes(Bytes, isWhole: Bool)
        /// A body that has not been read.
        case stream(Body)
        /// The file into which the body was written.
        case file(DownloadedFile)
    }

    /// Status and fields.
    public var head: ResponseHead
    /// The URL of the request that got this response; after redirects, the last URL.
    public var url: String
    /// The number of attempts of the exchange; 0 if nothing was sent because a plugin responded or refused the request.
    public var attempts: Int
    /// The body.
    public var content: Content

    /// Creates a response.
    public init(head: ResponseHead, url: String, attempts: Int, content: Content) {
        self.head = head
        self.url = url
        self.attempts = attempts
        self.content = content
    }

    /// The response excerpt of an error.
    init(_ excerpt: ResponseExcerpt) {
        self.init(
            head: excerpt.head, url: excerpt.url, attempts: 0,
            content: .bytes(excerpt.firstBytes, isWhole: excerpt.isWhole))
    }

    /// The status of the head, such as 200.
    public var status: Int { head.status }
    /// The value of the first header field of this name, or nil.
    public subscript(name: FieldName) -> String? { head.fields[name] }

    /// The bytes in memory; no bytes if the body is a stream or in a file. Setting them replaces the body.
    public var bytes: Bytes {
        get { if case .bytes(let bytes, _) = content { bytes } else { .empty } }
        set { content = .bytes(newValue, isWhole: true) }
    }

    /// Whether `bytes` are the whole body.
    public var isWhole: Bool {
        if case .bytes(_, let isWhole) = content { isWhole } else { false }
    }

    /// The file of a download; nil otherwise.
    public var file: DownloadedFile? {
        if case .file(let file) = content { file } else { nil }
    }

    /// The body as text, in the charset of the byte order mark or the content type; otherwise in UTF-8.
    ///
    /// Throws `body.decode` if this system has no converter for the charset; an unknown charset is read as UTF-8.
    public var text: String {
        get throws(PlugboardError) {
            try TextCodec().decode(String.self, from: wholeBody, contentType: self[.contentType])
        }
    }

    /// The body as a JSON value.
    ///
    /// Throws `body.decode` if it is not JSON.
    public var json: JSONValue {
        get throws(PlugboardError) { try JSONCodec().decode(JSONValue.self, from: wholeBody, contentType: nil) }
    }

    /// Replaces the body by JSON, for example by a member of the received JSON.
    public mutating func replaceBody(json value: JSONValue) { bytes = Bytes(JSONWriter.write(value) as [UInt8]) }

    /// The whole body. Throws if it is not in memory.
    var wholeBody: Bytes {
        get throws(PlugboardError) {
            guard case .bytes(let bytes, true) = content else {
                throw PlugboardError(
                    .bodyDecode,
                    file == nil
                        ? "The body is not in memory as a whole, and cannot be decoded."
                        : "The body is in a file, and cannot be decoded. Let the endpoint's Response be "
                            + "DownloadedFile, String or Void, or remove its downloadPath.")
            }
            return bytes
        }
    }

    var streamed: StreamedResponse {
        let body: Body =
            switch content {
            case .bytes(let bytes, _): .bytes(bytes)
            case .stream(let body): body
            case .file: .empty
            }
        return StreamedResponse(head: head, body: body, url: url, attempts: attempts)
    }
}

/// A file into which a body was written.
public struct DownloadedFile: Sendable, Equatable {
    /// Its path.
    public var path: String
    /// Its size in bytes.
    public var byteCount: Int

    /// Creates a description of a file.
    public init(path: String, byteCount: Int) {
        self.path = path
        self.byteCount = byteCount
    }
}
