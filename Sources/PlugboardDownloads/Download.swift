import PlugboardFileClaims
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
    /// The path of the file.
    public var file: String
    /// Whether the file gets the name that the server gives it (`Content-Disposition`, RFC 6266), made safe, in the
    /// folder of `file`. Without such a name it is `file`.
    public var namesFromServer = false
    /// Where the file goes if it cannot be written to `file`: the path of another file, or of a folder (one that
    /// exists, or a path that ends with `/`), in which it has the same name. Nil, the default, fails with
    /// `download.write`.
    ///
    /// If not even the partial file can be made, the whole download is one to there. If the file is complete and cannot
    /// get its name, it is moved there, by a copy where that is on another file system. An error while bytes are
    /// written, such as that of a full disk, ends the download in any case; what was received stays.
    public var fallback: String?
    /// Whether a file that exists is replaced; else the download fails with `download.exists`.
    public var replacesFile = true
    /// Whether a file that exists and is not replaced is compared with what the server has now. If it is the same, the
    /// download has nothing to do: `DownloadResult.wasComplete`. The lengths must be the same, and the file must have
    /// the digest of the caller or the server, or not be older than the server's date of modification.
    public var confirmsFile = false
    /// Whether it goes on with what an earlier download of the same URL has left.
    public var resumes = true
    /// Whether it also goes on with what a download of another URL has left: the caller knows that both are the same
    /// resource, such as an expired URL and the one in its place.
    public var replacesURL = false
    /// Goes on with bytes that have no strong validator, if so many bytes at their end are received once more and are
    /// the same; nil starts over. A file that has changed elsewhere is then not noticed.
    public var overlap: ByteCount?
    /// The most parts of the file that are requested at the same time, if the server sends ranges, a strong validator
    /// and a length. All are requested at once; those that turn out not to help are given up.
    public var segments = 1
    /// Requests that get the same file from other servers. They are used one after the other, each when the one before
    /// has failed; with several segments and a digest, at the same time. With a digest, or `trustsMirrors`, bytes of
    /// several servers are combined. If the digest shows that they are not of one file, each server is used alone.
    public var mirrors: [Request] = []
    /// Uses mirrors at the same time without a digest, too: the caller knows that all have the same bytes.
    public var trustsMirrors = false
    /// The digest that the file must have. The server's own are checked, too.
    public var digest: ExpectedDigest?
    /// The digests of its pieces, each of which is verified when it is whole. A wrong one is received again, from
    /// another server if there is one.
    public var pieces: PieceHashes?
    /// The number of bytes that the file must have.
    public var size: ByteCount?
    /// The most bytes that the file may have.
    public var limit: ByteCount?
    /// The most bytes that are received in a second, by all segments together. The request's own `options.speed` is
    /// about one request.
    public var speed: ByteCount?
    /// The requests that may fail in a row without a new byte.
    public var attempts = 5
    /// The wait before the second request in a row; it doubles with each that brings no byte, up to 30 s.
    public var delay: Duration = .milliseconds(250)
    /// Called at most ten times a second, and once at the end.
    public var progress: (@Sendable (TransferProgress) -> Void)?

    /// The least bytes of a segment.
    var segmentMinimum = 1 << 20
    /// How often it is looked whether requests help. Their speed is measured for twenty times as long.
    var segmentWindow = Duration.milliseconds(100)
    /// Returns the path that the file gets instead of one that a response has told, or nil to refuse that. It returns
    /// the same for each call with the same path.
    package var renames: (@Sendable (_ path: String) -> String?)?

    /// A download of a request's response to a file.
    public init(_ request: Request, to file: String) {
        self.request = request
        self.file = file
    }

    /// A download to a folder. The file has the name that the server gives it, else the last part of the URL's path;
    /// either is made safe: it is no path, not hidden, and has no control characters. A file that exists is not
    /// replaced, unless `replacesFile` is set.
    public init(_ request: Request, in folder: String) {
        self.init(request, to: Download.path(of: SafeName.from(url: request.url), in: folder))
        namesFromServer = true
        replacesFile = false
    }

    /// Downloads the file.
    ///
    /// Throws `response.status` for a response whose status says that it has no representation of the file (other than
    /// 200, 201 and 203); `error.response` has its head and the first 64 KiB of its body. Throws the error of the last
    /// request when the attempts are used up, and `download.write` if the file cannot be written. Nothing is then put
    /// in place, and what was received stays, for another download to go on with.
    @discardableResult
    @concurrent public func run(with sender: some RequestSender) async throws(PlugboardError) -> DownloadResult {
        let result = try await received(with: sender)
        if result.isComplete { return result }
        let reason =
            "\(Printable.url(result.response.url)) responded with status \(result.response.status), so \(result.file) was "
            + "not written."
        throw await result.response.refused(.responseStatus, reason, keeping: .kibibytes(64))
    }

    /// The file, or the last server's response that has none, with its body.
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
        // One of the servers has another file, and nothing says which.
        var alone = self
        alone.resumes = false
        partial = try await partialFile(sender, claim)
        return try await alone.run(&partial, with: sender, nil, claim)
    }

    /// The file of the bytes, of which those are used that came from the same servers with the same trust.
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

    /// Why bytes of several servers may be combined; nil if they may not.
    private var combination: Journal.Combination? {
        if let digest = digest ?? pieces?.identity { return .verified(digest) }
        return trustsMirrors ? .trusted : nil
    }

    /// Uses the servers one after the other, until one has sent the file.
    ///
    /// - Parameter combination: Nil uses the bytes of each server alone.
    private func run(
        _ partial: inout PartialFile, with sender: some RequestSender, _ combination: Journal.Combination?,
        _ claim: FileClaim
    ) async throws(PlugboardError) -> DownloadResult {
        let sources = [request] + mirrors
        let keys = sources.map { Journal.key(of: $0.url) }
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
            // An earlier download may have had them in another order.
            let isOfOther = !replacesURL && partial.journal.map { $0.url != keys[number] } ?? false
            var run = DownloadRun(
                attempt, partial, combination, urls: keys, continuesOther: continuesOther || isOfOther)
            do throws(PlugboardError) {
                let result = try await run.run(with: sender)
                if result.isComplete || number == mirrors.count { return result }
                result.response.body.source.release()
            } catch {
                switch error.code {
                // Another server does not help.
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

    /// Removes what a broken download to this path has left. Blocks. What a download of this process has that was
    /// cancelled, and whose last request has not ended yet, is removed when it has.
    public static func removePartial(of file: String) { PartialFile.remove(of: file) }
}
