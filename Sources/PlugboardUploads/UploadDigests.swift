import CPlugboardNettle
import PlugboardFieldValues
import PlugboardMessages

/// The digests by which a server verifies the bytes that it receives (`Upload.checksum`).
extension UploadRun {
    /// Adds the digest of a part of the content, which is read for this: `Upload-Checksum` of tus, or `Content-Digest`
    /// (RFC 9530 §2).
    mutating func addDigest(
        of part: UploadPart?, to request: inout Request, _ dialect: UploadDialect?
    ) async throws(PlugboardError) {
        guard upload.checksum, let part else { return }
        if dialect == .tus {
            request.fields["Upload-Checksum"] = "sha256 \(try await digest(of: part))"
        } else if !request.fields.contains("Content-Digest") {
            request.fields["Content-Digest"] = "sha-256=:\(try await digest(of: part)):"
        }
    }

    /// Adds the digests of a request that begins the upload: that of its part, and that of the whole content if it can
    /// be read already (`Repr-Digest`, RFC 9530 §3).
    mutating func addDigests(
        of part: UploadPart?, toCreation request: inout Request, _ dialect: UploadDialect?
    ) async throws(PlugboardError) {
        // A creation of tus has no content in this case, and tus has no digest of the whole.
        guard upload.checksum, dialect != .tus else { return }
        let hasOwn = request.fields.contains("Content-Digest")
        try await addDigest(of: part, to: &request, dialect)
        guard !request.fields.contains("Repr-Digest") else { return }
        if part?.isLast == true, !hasOwn {
            request.fields["Repr-Digest"] = request.fields["Content-Digest"]
        } else if !isStream {
            request.fields["Repr-Digest"] = "sha-256=:\(try await wholeDigest()):"
        }
    }

    private mutating func digest(of part: UploadPart) async throws(PlugboardError) -> String {
        if part.offset == 0, part.isLast, !isStream { return try await wholeDigest() }
        return try await UploadRun.digest(of: part.body)
    }

    /// The digest of the whole file, which is read only once, however often the creation or the only part is sent.
    private mutating func wholeDigest() async throws(PlugboardError) -> String {
        if let contentDigest { return contentDigest }
        let digest = try await UploadRun.digest(of: parts.whole)
        contentDigest = digest
        return digest
    }

    /// The SHA-256 in base 64.
    private static func digest(of body: Body) async throws(PlugboardError) -> String {
        let file: (any BodySource)? = (body.source as? UploadFilePart)?.unsent
        guard let copy = file ?? (body.source as? UploadBytesPart)?.unsent else {
            throw PlugboardError(
                .bodyRead,
                "The stream is sent in one request and cannot be read twice, as its digest needs it. Upload a file, or "
                    + "without the checksum.")
        }
        var context = sha256_ctx()
        nettle_sha256_init(&context)
        var pieces = Body(copy).makeAsyncIterator()
        while let piece = try await pieces.next() {
            if Task.isCancelled { throw PlugboardError(.cancelled, "The task of the upload was cancelled.") }
            piece.withUnsafeBytes { bytes in
                nettle_sha256_update(&context, bytes.count, bytes.assumingMemoryBound(to: UInt8.self).baseAddress)
            }
        }
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_SIZE))
        nettle_sha256_digest(&context, digest.count, &digest)
        return Base64.encode(digest)
    }
}
