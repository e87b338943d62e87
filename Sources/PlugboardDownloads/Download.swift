import PlugboardMessages

/// A response's body that is received into a file, and goes on after a break, also in another process.
///
///     let download = Download(Request(.get, "https://example.com/image.iso"), to: "image.iso")
///     let result = try await download.run(with: kernel)
///
/// The bytes are written to `FILE.part`, with a journal in `FILE.part.json`, and put in place at once by a rename when
/// they are complete and on the disk. Bytes of two responses are combined only under one strong validator (RFC 9110
/// §15.3.7.3): the file is never a mixture of two versions.
///
/// The file has the bytes as the server sends them: the plugin `decode` does not take part.
public struct Download: Sendable {
    /// What is requested. It must not have a range or a precondition of its own.
    public var request: Request
    /// The path of the file. An existing file is replaced when the download is complete.
    public var file: String
    /// Whether it goes on with what an earlier download of the same URL has left.
    public var resumes = true
    /// Whether it also goes on with what a download of another URL has left: the caller knows that both are the same
    /// resource, such as an expired URL and the one in its place.
    public var replacesURL = false
    /// Goes on with bytes that have no strong validator, if so many bytes at their end are received once more and are
    /// the same; nil starts over. A file that has changed elsewhere is then not noticed.
    public var overlap: ByteCount?
    /// The digest that the file must have. The server's own are checked, too.
    public var digest: ExpectedDigest?
    /// The most bytes that the file may have.
    public var limit: ByteCount?
    /// The requests that may fail in a row without a new byte.
    public var attempts = 5
    /// The wait before the second request in a row; it doubles with each that brings no byte, up to 30 s.
    public var delay: Duration = .milliseconds(250)
    /// Called at most ten times a second, and once at the end.
    public var progress: (@Sendable (DownloadProgress) -> Void)?

    /// A download of a request's response to a file.
    public init(_ request: Request, to file: String) {
        self.request = request
        self.file = file
    }

    /// Downloads the file. It blocks the thread while the disk writes.
    ///
    /// A response that is not 2xx is returned with its body; nothing is then put in place, and what an earlier download
    /// has left stays. Throws the error of the last request when the attempts are used up, and `download.write` if the
    /// file cannot be written; both leave what was received, for another download to go on with.
    @discardableResult
    @concurrent public func run(with sender: some RequestSender) async throws(PlugboardError) -> DownloadResult {
        for name in Download.reserved where request.fields.contains(name) {
            throw PlugboardError(
                .requestField, "A download sets \(name.text) itself. Remove the field from the request.")
        }
        var run = try DownloadRun(self)
        return try await run.run(with: sender)
    }

    private static let reserved: [FieldName] = [.range, .ifRange, "If-Match", "If-Unmodified-Since"]

    /// Removes what a broken download to this path has left. Blocks.
    public static func removePartial(of file: String) { PartialFile.remove(of: file) }
}

/// What a download has received so far.
public struct DownloadProgress: Sendable, Equatable {
    /// The bytes of the file that are there, those of earlier downloads included.
    public var received: Int
    /// The bytes that were there when this download began.
    public var resumed: Int
    /// The length of the file; nil if it is not known.
    public var total: Int?
}

/// The end of a download.
public struct DownloadResult: Sendable {
    /// The last response. Its body is empty if it was written to the file.
    public var response: Response
    /// Whether the file is in place.
    public var isComplete: Bool
    /// The bytes of the file.
    public var count: Int
    /// How many of them were there before this download.
    public var resumed: Int
}

extension RequestSender {
    /// Downloads a URL to a file, and goes on with what an earlier download has left: see `Download`.
    ///
    /// Throws `response.status` for a response that is not 2xx.
    @discardableResult
    public func download(_ url: String, to file: String) async throws(PlugboardError) -> DownloadResult {
        let result = try await Download(Request(.get, url), to: file).run(with: self)
        guard result.isComplete else {
            result.response.body.source.release()
            throw PlugboardError(
                .responseStatus,
                "The server responded with status \(result.response.status), so \(file) was not written.")
        }
        return result
    }
}
