import PlugboardMessages

/// The content of an upload.
public struct UploadContent: Sendable {
    enum Kind: Sendable {
        case file(String)
        case bytes(Bytes)
        case stream(Body)
    }

    let kind: Kind

    /// The name of the content in errors.
    var name: String {
        if case .file(let path) = kind { path } else { "the content" }
    }

    /// A regular file, which is read while it is sent and must not change meanwhile.
    public static func file(_ path: String) -> UploadContent { UploadContent(kind: .file(path)) }
    /// Bytes in memory.
    public static func bytes(_ bytes: Bytes) -> UploadContent { UploadContent(kind: .bytes(bytes)) }
    /// Bytes that can be read only once, such as `Body.stream` or a response's body. A resumable upload keeps the bytes
    /// that the server has not confirmed in memory: at most `Upload.partSize`. A server that is not known to resume
    /// uploads gets all bytes in one request, which cannot be repeated from 4 MiB on.
    public static func stream(_ body: Body) -> UploadContent { UploadContent(kind: .stream(body)) }
}

/// A part of the content, which begins at an offset.
struct UploadPart {
    let body: Body
    let offset: Int
    let count: Int
    /// Whether it is the last part of the content.
    let isLast: Bool

    var end: Int { offset + count }
}

/// Divides the content into parts, which begin at the offset that the server requests.
struct UploadParts {
    let file: UploadFile?
    /// The length of the content; nil while the end of a stream is not known.
    private(set) var length: Int?
    /// The end offset of the bytes that were given to the transport for the present resource.
    let given = FurthestOffset()
    /// Whether bytes of a stream were sent but not kept, so that they cannot be sent again.
    var isSpent: Bool { spent.value > 0 }
    /// Whether all bytes were given to the transport.
    var isAllGiven: Bool { length.map { given.value >= $0 } ?? isSpent }

    private let spent = FurthestOffset()
    private let bytes: Bytes?
    private let stream: Body?
    private var pieces: Body.Iterator?
    /// The bytes of the stream that the server has not confirmed. The offset is that of the first byte.
    private var kept: [Bytes] = []
    private var keptStart = 0
    private var keptCount = 0

    init(_ content: UploadContent) throws(PlugboardError) {
        switch content.kind {
        case .file(let path):
            let file = try UploadFile(path)
            (self.file, bytes, stream) = (file, nil, nil)
            length = file.identity.size
        case .bytes(let bytes):
            (file, self.bytes, stream) = (nil, bytes, nil)
            length = bytes.count
        case .stream(let body):
            (file, bytes, stream) = (nil, nil, body)
            length = body.length
        }
    }

    /// The whole content as one body, for an upload that cannot be resumed.
    var whole: Body {
        if let file { return Body(UploadFilePart(file, 0..<file.identity.size, given)) }
        if let stream { return Body(UploadStreamRest(kept, stream.source, length: length, given, spent)) }
        return Body(UploadBytesPart(bytes ?? .empty, from: 0, given))
    }

    /// The whole content as one part, for a server that may not support parts.
    mutating func wholePart() async throws(PlugboardError) -> UploadPart {
        guard stream != nil else { return try await part(from: 0, upTo: .max) }
        // A short stream can be sent again.
        let first = try await partOfStream(from: 0, upTo: UploadParts.keptLimit)
        if first.isLast { return first }
        return UploadPart(body: whole, offset: 0, count: length ?? 0, isLast: true)
    }

    /// The most bytes of a stream that are kept by default.
    static let keptLimit = 4 << 20

    /// Returns at most `limit` bytes from an offset on.
    ///
    /// Throws `upload.offset` for an offset of a stream whose bytes are no longer kept.
    mutating func part(from offset: Int, upTo limit: Int) async throws(PlugboardError) -> UploadPart {
        if stream != nil { return try await partOfStream(from: offset, upTo: limit) }
        let length = length ?? 0
        let end = length - offset > limit ? offset + limit : length
        if let file {
            try file.check()
            return UploadPart(
                body: Body(UploadFilePart(file, offset..<end, given)), offset: offset, count: end - offset,
                isLast: end == length)
        }
        let part = bytes.map { $0[offset..<end] } ?? .empty
        return UploadPart(
            body: Body(UploadBytesPart(part, from: offset, given)), offset: offset, count: end - offset,
            isLast: end == length)
    }

    private mutating func partOfStream(from offset: Int, upTo limit: Int) async throws(PlugboardError) -> UploadPart {
        guard offset >= keptStart, offset <= keptStart + keptCount else {
            throw PlugboardError(
                .uploadOffset,
                "The server asks for the bytes from \(offset) on, which have been confirmed and are gone, because the "
                    + "content is a stream. Upload a file.")
        }
        var passed = offset - keptStart
        while passed > 0, let first = kept.first {
            let count = min(passed, first.count)
            kept[0] = first[count..<first.count]
            if kept[0].isEmpty { kept.removeFirst() }
            passed -= count
            keptStart += count
            keptCount -= count
        }
        var iterator = pieces ?? (stream ?? .empty).makeAsyncIterator()
        var hasEnded = false
        while keptCount < limit {
            guard let piece = try await iterator.next() else {
                hasEnded = true
                break
            }
            kept.append(piece)
            keptCount += piece.count
        }
        pieces = iterator
        if hasEnded {
            let total = keptStart + keptCount
            guard length ?? total == total else {
                throw PlugboardError(
                    .bodyRead, "The stream of the upload has \(total) bytes, and not \(length ?? 0) as announced.")
            }
            length = total
        }
        let all = Bytes.joined(kept)
        kept = all.isEmpty ? [] : [all]
        let part = all[0..<min(all.count, limit)]
        return UploadPart(
            body: Body(UploadBytesPart(part, from: offset, given)), offset: offset, count: part.count,
            isLast: length == offset + part.count)
    }

    /// Releases the content when it is no longer needed.
    func release() { stream?.source.release() }
}
