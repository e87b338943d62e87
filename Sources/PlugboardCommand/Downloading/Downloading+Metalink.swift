import Plugboard
import PlugboardDownloads
import PlugboardKit
import PlugboardMetalink

/// Files that Metalink documents name (RFC 5854), and servers that name such documents (RFC 6249).
extension Downloading {
    /// - Parameter origin: The URL of the document; nil for a file.
    static func jobs(
        of metalink: Bytes, from origin: String?, in folder: String, _ arguments: RequestArguments, _ options: Options
    ) throws -> [Job] {
        let documents: Metalink
        do throws(PlugboardError) {
            documents = try Metalink(metalink)
        } catch {
            throw CommandFailure(ExitStatus(for: error), error)
        }
        return try documents.files.map { file in
            var job = file.download(in: folder)
            let requests = try file.urls.map { url in
                try request(for: url, namedBy: origin, arguments)
            }
            job.request = requests[0]
            job.mirrors = Array(requests.dropFirst())
            options.set(in: &job)
            return Job(download: job, isOfMetalink: true)
        }
    }

    /// - Parameters:
    ///   - origin: The URL that the fields of the command line are for: that of the document that names this URL, or
    ///     the one that this is a mirror of; nil for a document in a file.
    ///   - baseURL: What a mirror of the command line is resolved against.
    static func request(
        for url: String, namedBy origin: String?, against baseURL: String? = nil, _ arguments: RequestArguments
    ) throws -> Request {
        let absolute = try RequestArguments.absolute(url, against: baseURL)
        let isOwn = origin.map { Origin(url: $0) != nil && Origin(url: $0) == Origin(url: absolute) } ?? false
        let request = try arguments.request(.get, absolute, against: nil, nil, usesSession: isOwn)
        guard !isOwn else { return request }
        var bare = withoutCredentials(request)
        // The credentials in a URL are for its own origin.
        bare.url = absolute
        return bare
    }

    /// Fields, cookies, attributes, `target` and the client's certificate of the command line are for one origin alone:
    /// a document names any host, and a mirror may be another party's server. Limits of time and pins are for all.
    private static func withoutCredentials(_ request: Request) -> Request {
        var bare = request
        bare.fields = Fields()
        for name in [FieldName.userAgent, .accept] {
            if let value = request.fields[name] { bare.fields.append(name, value) }
        }
        bare.attributes = [:]
        bare.options = request.options.forOtherOrigins
        bare.options.timeout = request.options.timeout
        bare.options.tls.pins = request.options.tls.pins
        // A session that is only read stays as it is.
        bare.cookies.store = request.cookies.store
        return bare
    }

    /// A Metalink document, and the URL of the command line whose origin alone gets credentials.
    struct NamedDocument {
        let url: String
        let origin: String
    }

    /// Asks for each URL, by HEAD, whether it is of a Metalink document, or the server names one or other servers
    /// (RFC 6249). A request that fails says nothing.
    func followed(_ kernel: Kernel) async throws -> (jobs: [Job], documents: [NamedDocument]) {
        var (jobs, documents) = ([Job](), [NamedDocument]())
        let found = await links(kernel)
        for (number, var job) in self.jobs.enumerated() {
            guard let links = found[number] else {
                jobs.append(job)
                continue
            }
            // The digest and the mirrors of the command line are for the file itself.
            if job.download.digest == nil, job.download.mirrors.isEmpty,
                let document = links.isMetalink ? job.download.request.url : links.metalink
            {
                documents.append(NamedDocument(url: document, origin: job.download.request.url))
                continue
            }
            job.download.mirrors += try links.duplicates.map {
                try Downloading.request(for: $0, namedBy: job.download.request.url, arguments)
            }
            jobs.append(job)
        }
        return (jobs, documents)
    }

    /// What the servers say of the jobs' URLs, by the number of the job; asks as many at once as are downloaded at
    /// once.
    private func links(_ kernel: Kernel) async -> [Int: MirrorLinks] {
        let requests = jobs.map { job in
            var request = job.download.request
            request.method = .head
            return request
        }
        return await withTaskGroup(of: (Int, MirrorLinks?).self) { group in
            var found: [Int: MirrorLinks] = [:]
            for (number, request) in requests.enumerated() {
                if number >= parallel, let (earlier, links) = await group.next() { found[earlier] = links }
                group.addTask {
                    guard let response = try? await kernel.send(request) else { return (number, nil) }
                    response.body.source.release()
                    return (number, MirrorLinks(response.head, url: response.url))
                }
            }
            for await (number, links) in group { found[number] = links }
            return found
        }
    }

    func read(_ document: NamedDocument, _ kernel: Kernel) async throws -> Bytes {
        let request = try Downloading.request(for: document.url, namedBy: document.origin, arguments)
        do throws(PlugboardError) {
            let response = try await kernel.send(request)
            guard response.status == 200 else {
                response.body.source.release()
                throw PlugboardError(
                    .responseStatus, "The server responded with status \(response.status) to the Metalink document.")
            }
            return try await response.body.collect(upTo: .mebibytes(16))
        } catch {
            throw CommandFailure(error.code == .responseStatus ? .status : ExitStatus(for: error), error)
        }
    }

    /// What the user should know of a file that is complete.
    static func note(on result: DownloadResult, _ job: Job) -> String? {
        if job.isOfMetalink {
            guard !result.isVerified else { return nil }
            return "Not verified: the Metalink document has neither SHA-256 nor SHA-512 of it."
        }
        let links = MirrorLinks(result.response.head, url: result.response.url)
        let url = job.download.request.url
        if links.isMetalink {
            return "This is a Metalink document. To download what it names: plugboard download --metalink "
                + Printable.url(url)
        }
        if let document = links.metalink {
            return "The server names a Metalink document: plugboard download --metalink \(Printable.url(document))"
        }
        guard !links.duplicates.isEmpty, job.download.mirrors.isEmpty else { return nil }
        return "The server names \(links.duplicates.count) other servers of the file, which --follow-metalink uses."
    }
}
