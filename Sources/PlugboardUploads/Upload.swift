import PlugboardFileClaims
import PlugboardMessages

/// The upload of a file, of bytes or of a stream, which goes on after a break where the server can do that.
///
///     let upload = Upload(Request(.put, "https://example.com/image.iso"), .file("image.iso"))
///     let result = try await upload.run(with: kernel)
///
/// Two protocols of resumable uploads are spoken: draft-ietf-httpbis-resumable-upload-05 (interop version 6) and
/// tus 1.0. In both, the server has a resource for each upload and says how many bytes of it have arrived; the upload
/// goes on there. With a journal, it also goes on in another process.
public struct Upload: Sendable {
    /// The protocol by which an upload is resumed.
    public enum Resumption: String, Sendable, CaseIterable {
        /// The server is asked by an OPTIONS request which protocol it speaks. If it names none, the whole content is
        /// sent in one request, and the upload is resumable if the server announces a resource for it (104).
        case automatic = "auto"
        /// draft-ietf-httpbis-resumable-upload-05: the resource is created before the content is sent.
        case draft
        /// tus 1.0.
        case tus
        /// One request, which is not resumed.
        case none
    }

    /// Where the content goes: method, URL, fields, attributes and options, without a body.
    ///
    /// The URL is absolute, unless the upload is not resumable. The requests that follow go to the URL of the upload's
    /// resource, with the same fields except `Content-…`. Those with content are not repeated by the plugin `retry`.
    public var request: Request
    /// What is sent.
    public var content: UploadContent
    /// How it is resumed.
    public var resumption = Resumption.automatic
    /// The path of the journal, by which a file's upload goes on in another process; nil goes on in this run only.
    public var journal: String?
    /// Whether the upload's resource may be of another origin than the URL; otherwise such a resource is refused.
    ///
    /// Requests to another origin have no credentials of the request, no attributes, no pins and no client certificate
    /// of its own. What the kernel's configuration adds to all requests (`headers`) is sent there too.
    public var allowsOtherOrigins = false
    /// Whether it goes on with what the journal says. A file that has changed since then starts over.
    public var resumes = true
    /// What the server is told of the content: `Upload-Metadata` of tus.
    public var metadata: [String: String] = [:]
    /// Whether requests have a SHA-256 of their bytes, which are read twice then.
    ///
    /// Requests of tus have `Upload-Checksum`; the upload fails with `upload.protocol` if the server does not say that
    /// it verifies that. Others have `Content-Digest`, and those that begin an upload `Repr-Digest` of the whole,
    /// unless it is a stream in parts (RFC 9530). A server may ignore these two. Such fields of the request itself stay
    /// as they are. A stream that is sent in one request fails with `body.read` if it has 4 MiB or more, and by `none`
    /// always.
    public var checksum = false
    /// What the server offers; nil if it has not been asked.
    package var offer: UploadOffer?
    /// The most bytes in one request of a resumable upload. Nil: no limit, and 4 MiB for a stream.
    public var partSize: ByteCount?
    /// Whether bodies wait until the server wants them, at most a second (`Expect: 100-continue`, RFC 9110 §10.1.1).
    /// Nil: those from 1 MiB on and those of unknown length, until the server has ignored it. After a 417, the request
    /// is repeated without.
    public var waitsForContinue: Bool?
    /// The requests that may fail in a row before the server has a new byte.
    public var attempts = 5
    /// The wait before the third request in a row; it doubles up to 30 s. `Retry-After` prolongs it up to a minute.
    public var delay: Duration = .seconds(1)
    /// Called at most ten times a second, one call at a time, and last when the upload is complete. On any thread. It
    /// must not block.
    public var progress: (@Sendable (TransferProgress) -> Void)?

    /// An upload of a content by a request.
    public init(_ request: Request, _ content: UploadContent) {
        self.request = request
        self.content = content
    }

    /// Uploads the content.
    ///
    /// Throws `response.status` for a response that is not 2xx; `error.response` has its head and the first 64 KiB of
    /// its body. Throws the error of the last request when the attempts are used up. Both leave a journal with which
    /// another upload goes on, unless the server does not have the upload any more (404, 410; also 403 of tus, once
    /// another upload is created). Without a journal, the server is asked to remove it.
    @discardableResult
    @concurrent public func run(with sender: some RequestSender) async throws(PlugboardError) -> UploadResult {
        let result = try await sent(with: sender)
        if result.isComplete { return result }
        let reason =
            "\(Printable.url(result.response.url)) responded with status \(result.response.status), so "
            + "\(content.name) was not uploaded."
        throw await result.response.refused(.responseStatus, reason, keeping: .kibibytes(64))
    }

    /// The accepted upload, or the response that refuses it, with its body.
    func sent(with sender: some RequestSender) async throws(PlugboardError) -> UploadResult {
        try await FileClaim.with { claim in
            do throws(PlugboardError) {
                var run = try await UploadRun(self, claim)
                // Not when the last reference goes, which the kernel may hold for a moment longer.
                defer { run.journal?.end() }
                return .success(try await run.run(with: sender))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Removes what a broken upload has left: the resource on the server, and the journal.
    ///
    /// Returns the server's response; nil if the journal has no upload of this URL. A journal of another URL stays, and
    /// so does that of an upload that the server refuses to remove.
    @concurrent public func cancel(with sender: some RequestSender) async throws(PlugboardError) -> Response? {
        guard let path = journal else { return nil }
        let journal = try await FileClaim.with { claim in
            do throws(PlugboardError) {
                return .success(try await UploadJournal.opened(path, claim))
            } catch {
                return .failure(error)
            }
        }
        let entry: UploadJournal.Entry
        switch journal.load(UploadJournal.key(of: request.url), with: sender.options(of: request).transferTrust) {
        case .entry(let known): entry = known
        case .other, .unverified: return nil
        case .otherDetour: throw UploadJournal.otherDetour
        case .nothing:
            journal.remove()
            return nil
        }
        try checkOrigin(of: entry.resource)
        let response = try await sender.send(entry.resource.dialect.cancellation(of: entry.resource, by: self))
        if (200...299).contains(response.status) || UploadDialect.lost.contains(response.status) { journal.remove() }
        return response
    }

    /// The protocol that the server of this upload speaks, as far as it says so: `.tus`, `.draft`, or `.automatic`.
    ///
    /// A server that breaks the connection each time counts as one that says nothing.
    @concurrent public func resumptionOffered(
        by sender: some RequestSender
    ) async throws(PlugboardError) -> Resumption {
        try await offer(by: sender).resumption
    }

    /// What the server of this upload offers.
    @concurrent package func offer(by sender: some RequestSender) async throws(PlugboardError) -> UploadOffer {
        var request = request
        request.method = .options
        request.body = nil
        request.fields = UploadDialect.controlFields(request.fields)
        request.fields["Tus-Resumable"] = UploadDialect.tusVersion
        var left = min(attempts, 3)
        while true {
            left -= 1
            do throws(PlugboardError) {
                let response = try await sender.send(request)
                response.body.source.release()
                let offer = UploadOffer(response.fields)
                let isLast = left <= 0 || !UploadRun.isTransient(response.status)
                if isLast || offer.resumption != .automatic { return offer }
            } catch {
                let isBreak = [.transportReset, .transportProtocol, .bodyCut].contains(error.code)
                if left <= 0, isBreak { return UploadOffer() }
                guard left > 0, isBreak || UploadRun.isUnsent(error.code) else { throw error }
            }
            try await UploadRun.sleep(delay)
        }
    }

    /// Throws `upload.protocol` for a resource to which this upload must not go.
    func checkOrigin(of resource: UploadResource) throws(PlugboardError) {
        guard mayGo(to: resource) else {
            throw PlugboardError(
                .uploadProtocol,
                "The server places the upload on another origin (\(Origin(url: resource.url)?.description ?? "unknown")), which "
                    + "would get the configured headers. Allow other origins if it is trusted (allowsOtherOrigins, --other-origins)."
            )
        }
    }

    func mayGo(to resource: UploadResource) -> Bool {
        allowsOtherOrigins || Origin(url: resource.url) == Origin(url: request.url)
    }
}

/// The end of an upload.
public struct UploadResult: Sendable {
    /// The last response. If the last break came after the server had all bytes, it is that to the question how many it
    /// has.
    public var response: Response
    /// Whether the server has all bytes and has accepted them.
    var isComplete: Bool
    /// The bytes that the server has, as far as it is known.
    public var count: Int
    /// How many of them it had before this run.
    public var resumed: Int
}

extension RequestSender {
    /// Uploads a file by PUT, and goes on after a break where the server can do that: see `Upload`.
    ///
    /// Throws `response.status` for a response that is not 2xx.
    @discardableResult
    public func upload(_ file: String, to url: String) async throws(PlugboardError) -> UploadResult {
        try await Upload(Request(.put, url), .file(file)).run(with: self)
    }
}
