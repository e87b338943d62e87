import PlugboardMessages

/// Reports the progress of a download at most ten times a second, and at its end.
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

/// The result of a download.
public struct DownloadResult: Sendable {
    /// The last response. Its body is empty, because it was written to the file.
    public var response: Response
    /// Whether the file is in place.
    package var isComplete: Bool
    /// The path of the file.
    public var file: String
    /// The bytes of the file.
    public var count: Int
    /// The number of these bytes that existed before this download.
    public var resumed: Int
    /// Whether the bytes were compared with a digest of the caller, of the server or of each piece.
    public var isVerified = false
    /// Whether the file was complete before this download, so that no byte was received: see
    /// `Download.confirmsFile`.
    public var wasComplete = false
}

extension RequestSender {
    /// Downloads a URL to a file, and continues an earlier download: see `Download`.
    ///
    /// Throws `response.status` for a response without a representation of the file.
    @discardableResult
    public func download(_ url: String, to file: String) async throws(PlugboardError) -> DownloadResult {
        try await Download(Request(.get, url), to: file).run(with: self)
    }
}
