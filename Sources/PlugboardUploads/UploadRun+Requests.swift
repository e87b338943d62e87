import PlugboardMessages

/// Sends single requests of an upload, and interprets their responses.
extension UploadRun {
    /// Returns the last response; nil if the upload goes on.
    mutating func step(with sender: some RequestSender) async throws(PlugboardError) -> Response? {
        if let resource {
            guard let offset else { return try await ask(resource, with: sender) }
            return try await append(to: resource, at: offset, with: sender)
        }
        guard let dialect else {
            try await askForProtocol(with: sender)
            return nil
        }
        return try await create(dialect, with: sender)
    }

    private mutating func create(
        _ dialect: UploadDialect, with sender: some RequestSender
    ) async throws(PlugboardError) -> Response? {
        // All content in one request also reaches a server that does not know the protocol. Such a server would store a
        // part as the whole.
        let part = try await creationPart(dialect)
        isLengthDeferred = dialect == .tus && parts.length == nil
        var request = try dialect.creation(by: upload, with: part, length: parts.length)
        try await addDigests(of: part, toCreation: &request, dialect)
        let announced = Announcement()
        let response: Response
        do throws(PlugboardError) {
            response = try await sending.send(request, part, total: parts.length, resumed: 0, with: sender) {
                [upload, target, trust, journal, now, identity = parts.file?.identity] head, url in
                guard head.status == 104, dialect == .draft,
                    head.fields["Upload-Draft-Interop-Version"] == UploadDialect.interopVersion,
                    let resource = dialect.resource(in: head, base: url, now: now), upload.mayGo(to: resource)
                else { return }
                announced.set(resource) {
                    guard let journal, let identity else { return }
                    try? journal.save(
                        UploadJournal.Entry(
                            resource: resource, file: identity, trust: trust), target: target)
                }
            }
        } catch {
            if let resource = await announced.resource() { try begin(resource) }
            throw error
        }
        let base = response.url.isEmpty ? request.url : response.url
        let status = response.status
        var named = await announced.resource()
        let isCreated = part?.isLast != true || dialect == .tus || UploadDialect.isComplete(response.fields) == false
        if (200...299).contains(status), isCreated {
            named = dialect.resource(in: response.head, base: base, now: now) ?? named
            do throws(PlugboardError) {
                guard let named, dialect == .draft || status == 201 else {
                    throw PlugboardError(
                        .uploadProtocol,
                        "The server responded with status \(status) and named no resource for the upload, so it does not "
                            + "speak \(dialect == .tus ? "tus 1.0" : "the draft of resumable uploads"). Upload without."
                    )
                }
                if let limit = dialect.limit("max-size", in: response.fields), parts.length ?? 0 > limit {
                    throw PlugboardError(
                        .uploadLimit, "The content has \(parts.length ?? 0) bytes, and the server accepts \(limit).")
                }
                try begin(named)
                // A response to the first part gives an offset only if it tells how many bytes have arrived.
                if let told = UploadDialect.offset(in: response.fields) ?? (part == nil ? 0 : nil) {
                    confirm(try checked(told))
                    if dialect == .tus, let part, part.isLast, told == part.end { return response }
                }
            } catch {
                response.body.source.release()
                throw error
            }
            response.body.source.release()
            return nil
        }
        if (200...299).contains(status), part.map({ parts.given.value >= $0.end }) ?? true { return response }
        if let named {
            try begin(named)
            if UploadRun.isTransient(status) { return try await goOn(after: response) }
            if (200...299).contains(status) {
                try await askAgain(after: response)
                return nil
            }
        } else if UploadRun.isTransient(status), part == nil || upload.request.method.isIdempotent {
            return try await goOn(after: response)
        }
        return response
    }

    /// The content for the creation; nil for none.
    private mutating func creationPart(_ dialect: UploadDialect) async throws(PlugboardError) -> UploadPart? {
        switch dialect {
        // All content in one request also reaches a server that does not know the protocol. Such a server would store a
        // part as the whole.
        case .draft: return knowsDraft ? nil : try await parts.wholePart()
        // An interruption would lose all sent bytes, because only the response names the resource. The creation is then
        // repeated, so that the server may have two uploads, which only an idempotent method allows.
        case .tus:
            guard upload.offer?.takesContent == true, !upload.checksum, upload.request.method.isIdempotent,
                let length = parts.length, 1...UploadOffer.contentLimit ~= length, length <= partLimit(nil)
            else { return nil }
            return try await parts.wholePart()
        }
    }

    private mutating func ask(
        _ resource: UploadResource, with sender: some RequestSender
    ) async throws(PlugboardError) -> Response? {
        let response = try await sender.send(resource.dialect.question(about: resource, by: upload))
        let fields = response.fields
        switch response.status {
        case 200...299:
            guard let told = UploadDialect.offset(in: fields) else {
                response.body.source.release()
                throw PlugboardError(
                    .uploadProtocol,
                    "The server does not say how many bytes of the upload it has (Upload-Offset). "
                        + "Begin again, by removing the upload or with --restart.")
            }
            let count: Int
            do throws(PlugboardError) { count = try checked(told) } catch {
                response.body.source.release()
                throw error
            }
            // The length that was sent with a broken request must not be sent again.
            if fields.contains("Upload-Length") { isLengthDeferred = false }
            confirm(count)
            if isContinued {
                isContinued = false
                resumed = count
            }
            let isWhole = parts.length == count
            if isWhole, resource.dialect == .tus && !isLengthDeferred || UploadDialect.isComplete(fields) == true {
                return response
            }
            response.body.source.release()
            return nil
        case _ where resource.dialect.isGone(toldBy: response):
            return try await startOver(after: response)
        case let status where UploadRun.isTransient(status): return try await goOn(after: response)
        default: return response
        }
    }

    private mutating func startOver(after response: Response) async throws(PlugboardError) -> Response? {
        // A server may forget a complete upload: repeating a method that is not idempotent could have its effect
        // twice.
        guard upload.request.method.isIdempotent || !parts.isAllGiven && !isContinued else { return response }
        // A server also uses 403 to refuse credentials. Then it refuses the creation too, and the journal is kept.
        lose(isCertain: UploadDialect.lost.contains(response.status))
        return try await goOn(after: response)
    }

    private mutating func append(
        to resource: UploadResource, at offset: Int, with sender: some RequestSender
    ) async throws(PlugboardError) -> Response? {
        guard resource.appendLimit != 0 else {
            throw PlugboardError(.uploadLimit, "The server accepts no bytes in a request (max-append-size=0).")
        }
        let part = try await parts.part(from: offset, upTo: partLimit(resource.appendLimit))
        var request = resource.dialect.appending(
            part, to: resource, by: upload, deferredLength: isLengthDeferred ? parts.length : nil)
        try await addDigest(of: part, to: &request, resource.dialect)
        let response = try await sending.send(
            request, part, total: parts.length, resumed: resumed, with: sender)
        let told = UploadDialect.offset(in: response.fields)
        switch response.status {
        case 200...299:
            let isTold = told == part.end
            let isWhole = part.isLast && UploadDialect.isComplete(response.fields) != false
            // A server that responds before it has read everything must tell how much it has.
            let isSent = parts.given.value >= part.end
            if isWhole, isSent, isTold || told == nil && resource.dialect == .draft {
                confirm(part.end)
                return response
            }
            guard isTold, !part.isLast else {
                try await askAgain(after: response)
                return nil
            }
            response.body.source.release()
            confirm(part.end)
            return nil
        case _ where UploadDialect.lost.contains(response.status): return try await startOver(after: response)
        // 409: the server has another offset. 460: the bytes do not have the digest of tus.
        case 409, 460: return try await goOn(after: response)
        case let status where UploadRun.isTransient(status): return try await goOn(after: response)
        default: return response
        }
    }

    /// The offset that the server told. Throws if the server cannot have so many bytes.
    private func checked(_ offset: Int) throws(PlugboardError) -> Int {
        let most = isContinued ? parts.length ?? 0 : max(parts.given.value, confirmed)
        guard offset <= most else {
            throw PlugboardError(
                .uploadOffset,
                "The server says that it has \(offset) bytes of the upload, and only \(most) were sent. Something else "
                    + "was added to it: begin again, by removing the upload or with --restart.")
        }
        return offset
    }

    private func partLimit(_ limit: Int?) -> Int {
        let own = upload.partSize.map { max($0.bytes, 1) } ?? (isStream ? UploadParts.keptLimit : .max)
        return min(own, limit ?? .max)
    }

    var isStream: Bool { if case .stream = upload.content.kind { true } else { false } }
}
