import PlugboardMessages

/// One request of an upload, and what its response means.
extension UploadRun {
    /// Returns the last response; nil if the upload goes on.
    mutating func step(with sender: some RequestSender) async throws(PlugboardError) -> Response? {
        guard let dialect else {
            self.dialect = try await upload.resumptionOffered(by: sender) == .tus ? .tus : .draft
            return nil
        }
        guard let resource else { return try await create(dialect, with: sender) }
        guard let offset else { return try await ask(resource, with: sender) }
        return try await append(to: resource, at: offset, with: sender)
    }

    private mutating func create(
        _ dialect: UploadDialect, with sender: some RequestSender
    ) async throws(PlugboardError) -> Response? {
        // Content that is sent to a server that does not know the protocol arrives as by any other request.
        let part =
            upload.resumption == .automatic && dialect == .draft
            ? try await parts.part(from: 0, upTo: partLimit(nil)) : nil
        let request = try dialect.creation(by: upload, with: part, length: parts.length)
        let announced = Announcement()
        let response: Response
        do throws(PlugboardError) {
            response = try await sending.send(request, part, total: parts.length, resumed: 0, with: sender) {
                [target, journal, now, identity = parts.file?.identity] head in
                guard head.status == 104, dialect == .draft,
                    let resource = dialect.resource(in: head, base: request.url, now: now)
                else { return }
                announced.set(resource) {
                    guard let journal, let identity else { return }
                    try? journal.save(UploadJournal.Entry(resource: resource, file: identity), target: target)
                }
            }
        } catch {
            if let resource = await announced.resource() { try begin(resource) }
            throw error
        }
        let base = response.url.isEmpty ? request.url : response.url
        let status = response.status
        var named = await announced.resource()
        if (200...299).contains(status), part?.isLast != true || UploadDialect.isComplete(response.fields) == false {
            named = dialect.resource(in: response.head, base: base, now: now) ?? named
            response.body.source.release()
            guard let named, dialect == .draft || status == 201 else {
                throw PlugboardError(
                    .uploadProtocol,
                    "The server responded with status \(status) and named no resource for the upload, so it does not "
                        + "speak \(dialect == .tus ? "tus 1.0" : "the draft of resumable uploads"). Upload without.")
            }
            if let limit = dialect.limit("max-size", in: response.fields), parts.length ?? 0 > limit {
                throw PlugboardError(
                    .uploadLimit, "The content has \(parts.length ?? 0) bytes, and the server accepts \(limit).")
            }
            try begin(named)
            // A response to the first part is as good as one to a question only if it says how much has arrived.
            if let offset = UploadDialect.offset(in: response.fields) ?? (part == nil ? 0 : nil) {
                confirm(try checked(offset))
            }
            return nil
        }
        if let named {
            try begin(named)
            if UploadRun.isTransient(status) { return try await goOn(after: response) }
            if (200...299).contains(status), let part, parts.given.value < part.end {
                try await askAgain(after: response)
                return nil
            }
        } else if UploadRun.isTransient(status), part == nil {
            return try await goOn(after: response)
        }
        return response
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
                    .uploadProtocol, "The server does not say how many bytes of the upload it has (Upload-Offset).")
            }
            let count: Int
            do throws(PlugboardError) { count = try checked(told) } catch {
                response.body.source.release()
                throw error
            }
            confirm(count)
            if isContinued {
                isContinued = false
                resumed = count
            }
            let isWhole = parts.length == count
            if isWhole, resource.dialect == .tus || UploadDialect.isComplete(fields) == true { return response }
            response.body.source.release()
            return nil
        case 404, 410:
            return try await startOver(after: response)
        case 403 where resource.dialect == .tus && UploadDialect.offset(in: fields) == nil:
            return try await startOver(after: response)
        case let status where UploadRun.isTransient(status): return try await goOn(after: response)
        default: return response
        }
    }

    private mutating func startOver(after response: Response) async throws(PlugboardError) -> Response? {
        lose()
        return try await goOn(after: response)
    }

    private mutating func append(
        to resource: UploadResource, at offset: Int, with sender: some RequestSender
    ) async throws(PlugboardError) -> Response? {
        let part = try await parts.part(from: offset, upTo: partLimit(resource.appendLimit))
        var request = resource.dialect.appending(part, to: resource, by: upload, length: parts.length)
        if upload.checksum, resource.dialect == .tus {
            request.fields["Upload-Checksum"] = "sha256 \(try await UploadSending.digest(of: part))"
        }
        let response = try await sending.send(
            request, part, total: parts.length, resumed: resumed, with: sender)
        let told = UploadDialect.offset(in: response.fields)
        switch response.status {
        case 200...299:
            let isTold = told == part.end
            let isWhole = part.isLast && UploadDialect.isComplete(response.fields) != false
            // A server that responds before it has read everything must say what it has.
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
        case 404, 410: return try await startOver(after: response)
        // 409: the server has another offset. 460: the bytes do not have the digest that tus told.
        case 409, 460: return try await goOn(after: response)
        case let status where UploadRun.isTransient(status): return try await goOn(after: response)
        default: return response
        }
    }

    /// The offset that the server told, unless it cannot have so many bytes.
    private func checked(_ offset: Int) throws(PlugboardError) -> Int {
        let most = isContinued ? parts.length ?? 0 : max(parts.given.value, self.most)
        guard offset <= most else {
            throw PlugboardError(
                .uploadOffset,
                "The server says that it has \(offset) bytes of the upload, and only \(most) were sent. Something else "
                    + "was added to it: remove the upload, and begin again.")
        }
        return offset
    }

    private func partLimit(_ limit: Int?) -> Int {
        let own = upload.partSize.map { max($0.bytes, 1) } ?? (isStream ? 4 << 20 : .max)
        return min(own, max(limit ?? .max, 1))
    }

    private var isStream: Bool { if case .stream = upload.content.kind { true } else { false } }
}
