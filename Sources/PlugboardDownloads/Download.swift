import PlugboardFileClaims
import PlugboardMessages

/// Receives a response's body into a file. Continues after an interruption, also in another process.
///
///     let download = Download(Request(.get, "https://example.com/image.iso"), to: "image.iso")
///     let result = try await download.run(with: kernel)
///
/// The bytes are written to `FILE.part`, with a journal in `FILE.part.json`. When they are complete and on the disk,
/// the file is renamed to `FILE`. Bytes of two responses are combined only under one strong validator (RFC 9110
/// §15.3.7.3): the file is never a mixture of two versions.
///
/// The file has the bytes as the server sends them: the plugin `decode` does not decode them.
public struct Download: Sendable {
    /// The request. It must not have a range or a precondition of its own.
    public var request: Request
    /// The path of the file.
    public var file: String
    /// Whether the file gets the server's name (`Content-Disposition`, RFC 6266), made safe, in the folder of `file`.
    /// Without such a name the path is `file`.
    public var namesFromServer = false
    /// The path if the file cannot be written to `file`: of another file, or of a folder (an existing one, or a path
    /// that ends with `/`), in which the file has the same name. Nil, the default, makes the download fail with
    /// `download.write`.
    ///
    /// If the partial file cannot be made, the whole download goes to the fallback. If the complete file cannot be
    /// renamed, it is moved there, or copied if that is on another file system. An error while bytes are written, such
    /// as that of a full disk, always ends the download; the received bytes are kept.
    public var fallback: String?
    /// Whether an existing file is replaced; otherwise the download fails with `download.exists`.
    public var replacesFile = true
    /// Whether an existing file that is not replaced is compared with the server's file. If they are equal, nothing is
    /// downloaded: `DownloadResult.wasComplete`. They are equal if their lengths are equal and the file has the digest
    /// of the caller or the server, or is not older than the server's date of modification.
    public var confirmsFile = false
    /// Whether the partial file of an earlier download of the same URL is continued.
    public var resumes = true
    /// Whether the partial file of a download of another URL is continued too. The caller knows that both are the same
    /// resource, such as an expired URL and its replacement.
    public var replacesURL = false
    /// Continues bytes without a strong validator if this many bytes at their end are received again and are equal; nil
    /// starts over. A change elsewhere in the file is then not detected.
    public var overlap: ByteCount?
    /// The most parts of the file that are requested at the same time, if the server supports ranges and sends a strong
    /// validator and a length. All parts are requested at once; requests that do not increase the speed are cancelled.
    public var segments = 1
    /// Requests for the same file on other servers. Each is used when the one before has failed; with several segments
    /// and a digest, they are used at the same time. With a digest or `trustsMirrors`, bytes of several servers are
    /// combined. If the digest shows that their files differ, each server is used alone.
    public var mirrors: [Request] = []
    /// Uses mirrors at the same time even without a digest: the caller knows that all have the same bytes.
    public var trustsMirrors = false
    /// The digest that the file must have. The server's digests are verified too.
    public var digest: ExpectedDigest?
    /// The digests of its pieces. Each piece is verified when it is complete. A wrong piece is received again, from
    /// another server if there is one.
    public var pieces: PieceHashes?
    /// The number of bytes that the file must have.
    public var size: ByteCount?
    /// The most bytes that the file may have.
    public var limit: ByteCount?
    /// The most bytes per second that all segments together receive. The request's own `options.speed` applies to each
    /// request.
    public var speed: ByteCount?
    /// The most requests in a row that may fail without a new byte.
    public var attempts = 5
    /// The delay before the second request in a row; doubles with each request without a new byte, up to 30 s.
    public var delay: Duration = .milliseconds(250)
    /// Called at most ten times a second, and once at the end.
    public var progress: (@Sendable (TransferProgress) -> Void)?

    /// The smallest size of a segment, in bytes.
    var segmentMinimum = 1 << 20
    /// The interval of checks whether requests help. Their speed is measured for twenty times this interval.
    var segmentWindow = Duration.milliseconds(100)
    /// Returns the path to use instead of the one that a response named, or nil to refuse it. Must return the same
    /// result for each call with the same path.
    package var renames: (@Sendable (_ path: String) -> String?)?

    /// Creates a download of a request's response to a file.
    public init(_ request: Request, to file: String) {
        self.request = request
        self.file = file
    }

    /// Creates a download to a folder. The server names the file, or else it has the last part of the URL's path. The
    /// name is made safe: it is not a path, not hidden, and has no control characters. An existing file is not replaced
    /// unless `replacesFile` is set.
    public init(_ request: Request, in folder: String) {
        self.init(request, to: Download.path(of: SafeName.from(url: request.url), in: folder))
        namesFromServer = true
        replacesFile = false
    }

    /// Downloads the file.
    ///
    /// Throws `response.status` for a status that carries no representation of the file (other than 200, 201 and 203);
    /// `error.response` has its head and the first 64 KiB of its body. Throws the error of the last request when the
    /// attempts are used up, and `download.write` if the file cannot be written. The file is then not created, and the
    /// partial file is kept for another download to continue.
    @discardableResult
    @concurrent public func run(with sender: some RequestSender) async throws(PlugboardError) -> DownloadResult {
        let result = try await received(with: sender)
        if result.isComplete { return result }
        let reason =
            "\(Printable.url(result.response.url)) responded with status \(result.response.status), so \(result.file) was "
            + "not written."
        throw await result.response.refused(.responseStatus, reason, keeping: .kibibytes(64))
    }

    /// The file, or the response of the last server if no server has the file. Its body can be read.
    package func received(with sender: some RequestSender) async throws(PlugboardError) -> DownloadResult {
        try await FileClaim.with { claim in
            do throws(PlugboardError) {
                return .success(try await received(with: sender, claim))
            } catch {
                return .failure(error)
            }
        }
    }

    private func received(
        with sender: some RequestSender, _ claim: FileClaim
    ) async throws(PlugboardError) -> DownloadResult {
        for request in [request] + mirrors {
            for name in Download.reserved where request.fields.contains(name) {
                throw PlugboardError(
                    .requestField, "A download sets \(name.text) itself. Remove the field from the request.")
            }
        }
        let isKept = !replacesFile && !namesFromServer && PartialFile.isThere(file)
        if isKept, !confirmsFile { throw PartialFile.exists(file) }
        var partial: PartialFile
        do throws(PlugboardError) {
            partial = try await partialFile(sender, claim)
        } catch {
            guard error.code == .downloadWrite else { throw error }
            if isKept { throw PartialFile.exists(file, "It cannot be compared, because \(error.reason)") }
            guard let other = atFallback else { throw error }
            return try await other.received(with: sender, claim)
        }
        do throws(PlugboardError) {
            return try await run(&partial, with: sender, combination, claim)
        } catch {
            guard error.code == .downloadDigest, partial.provedCombinedWrong else { throw error }
        }
        // One of the servers has a different file, and it is unknown which.
        var alone = self
        alone.resumes = false
        partial = try await partialFile(sender, claim)
        return try await alone.run(&partial, with: sender, nil, claim)
    }

    /// Opens the partial file. Its bytes are used if they came from the same servers with the same trust.
    private func partialFile(
        _ sender: some RequestSender, _ claim: FileClaim
    ) async throws(PlugboardError) -> PartialFile {
        let partial = try await PartialFile.opened(file, claim)
        let trusts = ([request] + mirrors).map { sender.options(of: $0).transferTrust }
        let detours = Set(trusts.compactMap(\.detour)).sorted()
        partial.trust = TransferTrust(
            isVerified: trusts.allSatisfy(\.isVerified), detour: detours.isEmpty ? nil : detours.joined(separator: " "))
        return partial
    }

    /// The reason why bytes of several servers may be combined; nil if they may not.
    private var combination: Journal.Combination? {
        if let digest = digest ?? pieces?.identity { return .verified(digest) }
        return trustsMirrors ? .trusted : nil
    }

    /// Tries the servers one after the other, until one has sent the file.
    ///
    /// - Parameter combination: Nil if bytes of different servers must not be combined.
    private func run(
        _ partial: inout PartialFile, with sender: some RequestSender, _ combination: Journal.Combination?,
        _ claim: FileClaim
    ) async throws(PlugboardError) -> DownloadResult {
        let sources = [request] + mirrors
        let keys = sources.map(\.resourceKey)
        for (number, source) in sources.enumerated() {
            var attempt = self
            attempt.request = source
            attempt.mirrors = combination == nil ? [] : Array(sources[(number + 1)...])
            let continuesOther = number > 0 && partial.journal != nil && combination != nil
            if !continuesOther {
                partial.verify(pieces)
                partial.forget()
                if resumes, source.method == .get {
                    partial.takeUp(url: replacesURL ? nil : keys[number], mirrors: keys, combination)
                }
            }
            // An earlier download may have used the servers in another order.
            let isOfOther = !replacesURL && partial.journal.map { $0.url != keys[number] } ?? false
            var run = DownloadRun(
                attempt, partial, combination, urls: keys, continuesOther: continuesOther || isOfOther)
            do throws(PlugboardError) {
                let result = try await run.run(with: sender)
                if result.isComplete || number == mirrors.count { return result }
                result.response.body.source.release()
            } catch {
                switch error.code {
                // Another server would not help.
                case .cancelled, .downloadWrite, .downloadExists, .downloadBusy: throw error
                case .downloadDigest where partial.provedCombinedWrong: throw error
                default: if number == mirrors.count { throw error }
                }
            }
            if !partial.isPresent { partial = try await partialFile(sender, claim) }
        }
        throw PlugboardError(.downloadPart, "No server has sent the file.")
    }

    private static let reserved: [FieldName] = [.range, .ifRange, "If-Match", "If-Unmodified-Since"]

    /// Removes the partial file of an interrupted download to this path. Blocks. If a cancelled download of this
    /// process still has a running request, its partial file is removed when the request has ended.
    public static func removePartial(of file: String) { PartialFile.remove(of: file) }
}
