import PlugboardMessages

/// Tells the progress of a download, at most ten times a second, and at its end.
struct DownloadPace: Sendable {
    private let progress: (@Sendable (TransferProgress) -> Void)?
    private var pace = ProgressPace()

    init(_ progress: (@Sendable (TransferProgress) -> Void)?) { self.progress = progress }

    mutating func tell(_ facts: TransferProgress) {
        guard let progress, pace.isDue() else { return }
        progress(facts)
    }

    func end(_ facts: TransferProgress) { progress?(facts) }
}

/// The end of a download.
public struct DownloadResult: Sendable {
    /// The last response. Its body is empty, because it was written to the file.
    public var response: Response
    /// Whether the file is in place.
    package var isComplete: Bool
    /// The path of the file.
    public var file: String
    /// The bytes of the file.
    public var count: Int
    /// How many of them were there before this download.
    public var resumed: Int
    /// Whether the bytes were compared with a digest of the caller, of the server or of each piece.
    public var isVerified = false
    /// Whether the file was complete before this download, which has then received no byte of it: see
    /// `Download.confirmsFile`.
    public var wasComplete = false
}

extension RequestSender {
    /// Downloads a URL to a file, and goes on with what an earlier download has left: see `Download`.
    ///
    /// Throws `response.status` for a response that has no representation of the file.
    @discardableResult
    public func download(_ url: String, to file: String) async throws(PlugboardError) -> DownloadResult {
        try await Download(Request(.get, url), to: file).run(with: self)
    }
}
