import PlugboardFieldValues
import PlugboardMessages

/// A protocol of resumable uploads: makes its requests and interprets its responses.
enum UploadDialect: String, Sendable, Codable {
    /// draft-ietf-httpbis-resumable-upload-05.
    case draft
    /// tus 1.0.
    case tus

    /// The version of the draft in requests and responses.
    static let interopVersion = "6"
    static let tusVersion = "1.0.0"
    /// Statuses of a server that no longer has the upload.
    static let lost = [404, 410]

    // MARK: Requests

    /// Whether a field belongs to the protocol or to the body, so that a caller must not set it.
    static func isReserved(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasPrefix("upload-") || name.hasPrefix("tus-")
            || ["content-length", "content-range", "transfer-encoding"].contains(name)
    }

    /// The fields of a request that is not about the content itself.
    static func controlFields(_ fields: Fields) -> Fields {
        var result = fields
        for field in fields {
            let name = field.name.lowercased()
            let isOfContent =
                name.hasPrefix("content-")
                || ["expect", "repr-digest", "digest", "if-match", "if-none-match"]
                    .contains(name)
            if isOfContent { result.remove(FieldName(field.name)) }
        }
        return result
    }

    private func request(_ method: Method, _ resource: UploadResource, by upload: Upload) -> Request {
        var request = upload.request
        request.method = method
        request.url = resource.url
        request.body = nil
        request.fields = UploadDialect.controlFields(request.fields)
        let origin = Origin(url: resource.url)
        if origin == nil || origin != Origin(url: upload.request.url) {
            // Secrets for one origin must not be sent to another origin that its server names.
            request.fields.removeSecrets()
            request.attributes = Attributes()
            if request.hasOptions { request.options = request.options.forOtherOrigins }
        }
        switch self {
        case .draft: request.fields["Upload-Draft-Interop-Version"] = UploadDialect.interopVersion
        case .tus: request.fields["Tus-Resumable"] = UploadDialect.tusVersion
        }
        return request
    }

    /// The request that creates the resource, with or without content.
    func creation(by upload: Upload, with part: UploadPart?, length: Int?) throws(PlugboardError) -> Request {
        var request = upload.request
        request.body = part?.body ?? .empty
        switch self {
        case .draft:
            request.fields["Upload-Draft-Interop-Version"] = UploadDialect.interopVersion
            request.fields["Upload-Complete"] = part?.isLast == true ? "?1" : "?0"
            // The caller's digest is that of the whole content (RFC 9530 §2).
            if part?.isLast != true { request.fields["Content-Digest"] = nil }
            if let length { request.fields["Upload-Length"] = "\(length)" }
        case .tus:
            request.method = .post
            request.fields = UploadDialect.controlFields(request.fields)
            request.fields["Tus-Resumable"] = UploadDialect.tusVersion
            if part != nil { request.fields[.contentType] = "application/offset+octet-stream" }
            if let length {
                request.fields["Upload-Length"] = "\(length)"
            } else {
                request.fields["Upload-Defer-Length"] = "1"
            }
            request.fields["Upload-Metadata"] = try UploadDialect.text(of: upload.metadata)
        }
        return request
    }

    /// The request for the number of bytes that have arrived.
    func question(about resource: UploadResource, by upload: Upload) -> Request {
        var request = request(.head, resource, by: upload)
        // A cached response would have an old offset.
        request.fields[.cacheControl] = "no-cache"
        return request
    }

    /// The request that appends a part of the content.
    ///
    /// - Parameter deferredLength: The length, if the server of tus does not know it yet. Servers refuse to be told
    ///   it twice.
    func appending(
        _ part: UploadPart, to resource: UploadResource, by upload: Upload, deferredLength: Int?
    ) -> Request {
        var request = request(.patch, resource, by: upload)
        request.body = part.body
        request.fields["Upload-Offset"] = "\(part.offset)"
        switch self {
        case .draft:
            request.fields[.contentType] = "application/partial-upload"
            request.fields["Upload-Complete"] = part.isLast ? "?1" : "?0"
        case .tus:
            request.fields[.contentType] = "application/offset+octet-stream"
            if part.isLast, let deferredLength { request.fields["Upload-Length"] = "\(deferredLength)" }
        }
        return request
    }

    /// The request that removes the upload.
    func cancellation(of resource: UploadResource, by upload: Upload) -> Request {
        request(.delete, resource, by: upload)
    }

    /// `Upload-Metadata`: pairs of a name and its value in base 64.
    private static func text(of metadata: [String: String]) throws(PlugboardError) -> String? {
        for name in metadata.keys where !isToken(name) {
            throw PlugboardError(
                .requestField, "A name of an upload's metadata is not a word of letters, digits and hyphens.")
        }
        guard !metadata.isEmpty else { return nil }
        return metadata.sorted { $0.key < $1.key }.map { name, value in
            value.isEmpty ? name : "\(name) \(Base64.encode(Array(value.utf8)))"
        }.joined(separator: ",")
    }

    // MARK: Responses

    /// Whether the server no longer has the upload, according to its response to `question`. A server of tus may tell
    /// this by 403 without `Upload-Offset` (tus 1.0, "HEAD").
    func isGone(toldBy response: Response) -> Bool {
        UploadDialect.lost.contains(response.status)
            || self == .tus && response.status == 403 && !response.fields.contains("Upload-Offset")
    }

    static func list(_ value: String?) -> [String] {
        (value ?? "").split(separator: ",").map { item in
            String(item.drop { $0 == " " }.prefix { $0 != " " }).lowercased()
        }
    }

    /// The resource that a response to a creation names; nil if it names no usable one.
    ///
    /// - Parameter base: The base URL of relative references.
    func resource(in head: ResponseHead, base: String, now: Int64) -> UploadResource? {
        guard let location = head.fields[.location], let url = URLParts.resolve(location, against: base),
            let origin = Origin(url: url),
            // An upload that began encrypted is not continued without encryption.
            origin.scheme == "https" || Origin(url: base)?.scheme != "https"
        else { return nil }
        return UploadResource(
            url: url, dialect: self, expires: expiry(in: head.fields, now: now),
            appendLimit: limit("max-append-size", in: head.fields))
    }

    /// The time when the server drops the upload.
    func expiry(in fields: Fields, now: Int64) -> Int64? {
        switch self {
        case .draft:
            guard let seconds = limit("expires", in: fields) else { return nil }
            return now &+ Int64(min(seconds, 1 << 40))
        case .tus:
            return fields["Upload-Expires"].flatMap { HTTPDate($0, now: HTTPDate(seconds: now)) }?.seconds
        }
    }

    /// A number of `Upload-Limit`, a dictionary of RFC 9651.
    func limit(_ name: String, in fields: Fields) -> Int? {
        guard self == .draft, let value = fields["Upload-Limit"] else { return nil }
        var last: Int?
        for member in value.split(separator: ",") {
            let text = member.prefix { $0 != ";" }
            let parts = text.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" } }
            if parts.count == 2, parts[0] == name { last = UploadDialect.number(parts[1]) }
        }
        return last
    }

    /// The offset in a response; nil if there is no valid one.
    static func offset(in fields: Fields) -> Int? {
        let values = fields.values("Upload-Offset")
        guard let first = values.first, values.allSatisfy({ $0 == first }) else { return nil }
        return number(first)
    }

    /// Reads digits only, so that signs and fractions are refused.
    static func number(_ text: some StringProtocol) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }

    /// The value of `Upload-Complete`; nil if it is missing.
    static func isComplete(_ fields: Fields) -> Bool? {
        switch fields["Upload-Complete"] {
        case "?1": true
        case "?0": false
        default: nil
        }
    }
}
