import Synchronization

/// The body of a request or a response, as a program holds it.
///
///     request.body = .text("hello")
///     for try await piece in response.body { … }          // pieces as they arrive; a slow reader slows the sender
///     let bytes = try await response.body.collect(upTo: .mebibytes(1))
///
/// A body is read once, by one reader: reading a response's body again throws `body.read`. Releasing it before its end
/// cancels the exchange. So does cancelling the task that waits for a piece; the task gets a `PlugboardError` with the
/// code `cancelled`, never a `CancellationError`.
public struct Body: Sendable {
    /// The source of the pieces, for plugins and transports.
    public let source: any BodySource
    /// Shared by the copies of the body; nil if the source can be copied or counts its readers itself.
    private let use: SingleUse?

    /// A body with the pieces of a source. It can be sent again if the source has a copy.
    public init(_ source: any BodySource) { (self.source, use) = (source, SingleUse()) }

    /// A body with the pieces of a source, without the object that counts its uses.
    package init(uncounted source: any BodySource) { (self.source, use) = (source, nil) }

    /// A body of no bytes.
    public static var empty: Body { .bytes(Bytes.empty) }

    /// A body in memory. It can be sent again.
    public static func bytes(_ bytes: Bytes) -> Body { Body(uncounted: MemorySource(bytes)) }

    /// A body in memory. It can be sent again.
    public static func bytes(_ bytes: [UInt8]) -> Body { .bytes(Bytes(bytes)) }

    /// A text in UTF-8. It can be sent again.
    public static func text(_ text: String) -> Body { .bytes(Bytes(text)) }

    /// A regular file, which is opened now and read while it is sent. It can be sent again.
    ///
    /// Its length is the file's size now; the body breaks with `body.read` if the file becomes longer or shorter before
    /// it is sent. Throws `body.read` if the file cannot be opened or is not a regular file.
    public static func file(_ path: String) throws(PlugboardError) -> Body {
        Body(uncounted: try FileSource(path: path))
    }

    /// The elements of a sequence, as it produces them. It can be sent once: a second request with it fails with
    /// `body.read`.
    ///
    /// - Parameter length: The total number of bytes; nil if it is not known.
    public static func stream<Pieces: AsyncSequence & Sendable>(_ pieces: Pieces, length: Int? = nil) -> Body
    where Pieces.Element == Bytes {
        Body(StreamSource(pieces, length: length))
    }

    /// Several bodies as one, one after the other. It can be sent again if each of them can.
    public static func joined(_ bodies: [Body]) -> Body { Body(JoinedSource(bodies.map(\.source))) }

    /// The source for one exchange: a copy, or the source itself, once. Nil if another exchange has taken it.
    package func takeSource() -> (any BodySource)? {
        if let copy = source.copy() { return copy }
        return use?.take() ?? true ? source : nil
    }

    /// The bytes of a body in memory that was not read; nil for any other.
    package var unreadBytes: Bytes? { (source as? MemorySource)?.unread }

    /// The total number of bytes; nil if it is not known in advance.
    public var length: Int? { source.length }

    /// Reads the whole body and returns it in one piece.
    ///
    /// Throws `body.limit` as soon as the body is known to be larger than `limit`, and the error of the body if it
    /// breaks.
    public nonisolated(nonsending) consuming func collect(
        upTo limit: ByteCount
    ) async throws(PlugboardError) -> Bytes {
        if let length = source.length, length > limit.bytes { throw Body.tooLarge(limit) }
        var first: Bytes?
        // Most bodies are one piece and need no array.
        var others: [Bytes] = []
        var count = 0
        while true {
            // The iterator is not used, because its `next` looks up the task's executor twice for each piece.
            let piece: Piece
            if let ready = source.nextIfReady() {
                piece = ready
            } else {
                piece = await Iterator.pulled(from: source, isolation: #isolation)
            }
            switch piece {
            case .bytes(let bytes):
                count += bytes.count
                // This is the first piece if both counts are equal. Counted first, so that the piece is moved.
                if count == bytes.count { first = bytes } else { others.append(bytes) }
                if count > limit.bytes {
                    // The first pieces are lost, so that the rest must not be read as if it were the whole body.
                    source.release()
                    throw Body.tooLarge(limit)
                }
            case .end:
                let first = first ?? .empty
                return others.isEmpty ? first : Bytes.joined([first] + others)
            case .broken(let error): throw error
            }
        }
    }

    /// Reads the whole body and returns it as UTF-8 text; invalid bytes become U+FFFD.
    ///
    /// Throws like `collect(upTo:)`.
    public nonisolated(nonsending) consuming func text(
        upTo limit: ByteCount = .mebibytes(16)
    ) async throws(PlugboardError) -> String {
        try await collect(upTo: limit).text
    }

    private static func tooLarge(_ limit: ByteCount) -> PlugboardError {
        PlugboardError(
            .bodyLimit, "The body is larger than the \(limit) allowed. Raise the limit or read it in pieces.")
    }
}

extension Body: AsyncSequence {
    /// One piece of the body; never empty.
    public typealias Element = Bytes
    /// The error with which the body broke.
    public typealias Failure = PlugboardError

    /// Begins to read the body.
    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    /// Reads a body piece by piece.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: any BodySource
        private var isDone = false

        fileprivate init(source: any BodySource) { self.source = source }

        /// The trailer fields; empty until `next` has returned nil.
        public private(set) var trailers = Fields()

        /// The next piece, or nil at the end. Throws the error with which the body broke, or `cancelled`.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(PlugboardError) -> Bytes? {
            while !isDone {
                let piece: Piece
                if let ready = source.nextIfReady() {
                    piece = ready
                } else {
                    piece = await Iterator.pulled(from: source, isolation: actor)
                }
                switch piece {
                case .bytes(let bytes):
                    if !bytes.isEmpty { return bytes }
                case .end(let trailers):
                    self.trailers = trailers
                    isDone = true
                case .broken(let error):
                    isDone = true
                    throw error
                }
            }
            return nil
        }

        fileprivate static func pulled(
            from source: any BodySource, isolation actor: isolated (any Actor)?
        ) async -> Piece {
            await withTaskCancellationHandler {
                await withUnsafeContinuation { source.pull(Pull(PieceContinuation($0))) }
            } onCancel: {
                source.release()
            }
        }
    }
}

/// Resumes one continuation with the first piece, and refuses any other.
private final class PieceContinuation: PullReceiver {
    private let continuation: Mutex<UnsafeContinuation<Piece, Never>?>

    init(_ continuation: UnsafeContinuation<Piece, Never>) { self.continuation = Mutex(continuation) }

    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        let waiting = continuation.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        waiting?.resume(returning: piece)
        return waiting != nil
    }
}
