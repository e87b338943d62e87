import PlugboardMessages

extension Response {
    /// Returns the response if its status is in a range; otherwise throws.
    ///
    ///     let topics: [Topic] = try await kernel.send(request).requireStatus().decode()
    ///
    /// The error has the code `response.status` and keeps the head and the first bytes of the body in
    /// `error.response`.
    /// - Parameter limit: The number of bytes of the body that are read for the error; the rest is dropped.
    public nonisolated(nonsending) consuming func requireStatus(
        _ statuses: some RangeExpression<Int> = 200..<300, keeping limit: ByteCount = .kibibytes(4)
    ) async throws(PlugboardError) -> Response {
        if statuses.contains(status) { return self }
        throw await refused(
            .responseStatus, "\(Printable.url(url)) responded with status \(status).", keeping: limit)
    }

    /// Returns the response if its content type is one of these; otherwise throws.
    ///
    /// A type can be a pattern: `text/*`, or `*/*+json` for all types with this suffix. The error has the code
    /// `response.type` and keeps the head and the first bytes of the body in `error.response`.
    public nonisolated(nonsending) consuming func requireType(
        _ types: String..., keeping limit: ByteCount = .kibibytes(4)
    ) async throws(PlugboardError) -> Response {
        try await requireType(types, keeping: limit)
    }

    /// Returns the response if its content type is one of these; otherwise throws, as `requireType(_:keeping:)` does.
    public nonisolated(nonsending) consuming func requireType(
        _ types: [String], keeping limit: ByteCount = .kibibytes(4)
    ) async throws(PlugboardError) -> Response {
        let contentType = self[.contentType]
        let media = contentType.flatMap { MediaType($0) }
        if let media, types.contains(where: media.matches) { return self }
        let found =
            media.map { "the content type \($0.name)" }
            ?? (contentType == nil ? "no content type" : "a content type that cannot be read")
        throw await refused(
            .responseType,
            "\(Printable.url(url)) responded with \(found), and not with \(types.joined(separator: " or ")).",
            keeping: limit)
    }
}
