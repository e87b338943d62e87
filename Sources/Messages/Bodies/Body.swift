import Synchronization

/// The body of a request or a response, as a program holds it.
///
///     request.body = .text("hello")
///     for try await piece in response.body { … }          // pieces as they come; a slow reader slows the sender
///     let bytes = try await response.body.collect(upTo: .mebibytes(1))
///
/// A body is read once, by one reader: reading a response's body again throws `body.read`. Dropping it before its end cancels the exchange.
/// So does cancelling the task that waits for a piece; it gets a `PlugboardError` of the code `cancelled`, never a `CancellationError`.
public struct Body: Sendable {
    /// What the pieces come from; for plugins and transports.
    public let source: any BodySource

    public init(_ source: any BodySource) { self.source = source }

    /// A body of nothing.
    public static var empty: Body { .bytes(Bytes.empty) }

    /// Bytes in memory; can be sent again.
    public static func bytes(_ bytes: Bytes) -> Body { Body(MemorySource(bytes)) }

    /// Bytes in memory; can be sent again.
    public static func bytes(_ bytes: [UInt8]) -> Body { .bytes(Bytes(bytes)) }

    /// The UTF-8 of a text; can be sent again.
    public static func text(_ text: String) -> Body { .bytes(Bytes(text)) }

    /// A file, read while it is sent; can be sent again. Its size is taken when the body is made.
    public static func file(_ path: String) throws(PlugboardError) -> Body { Body(try FileSource(path: path)) }

    /// The elements of a sequence as they come; cannot be sent again.
    public static func stream<Pieces: AsyncSequence & Sendable>(_ pieces: Pieces, length: Int? = nil) -> Body
    where Pieces.Element == Bytes {
        Body(StreamSource(pieces, length: length))
    }

    /// Bytes in all, if that is known beforehand.
    public var length: Int? { source.length }

    /// The whole body in one piece.
    ///
    /// Throws `body.limit` as soon as more than `limit` bytes have come, and what broke the body if it breaks.
    public nonisolated(nonsending) consuming func collect(
        upTo limit: ByteCount
    ) async throws(PlugboardError) -> Bytes {
        if let length = source.length, length > limit.bytes { throw Body.tooLarge(limit) }
        var first = Bytes.empty
        // Most bodies come in one piece, and need no array.
        var others: [Bytes] = []
        var count = 0
        while true {
            // Without the iterator, whose `next` looks for the task's executor twice, even for what is there at once.
            let piece: Piece
            if let ready = source.take() {
                piece = ready
            } else {
                piece = await Iterator.pulled(from: source, isolation: #isolation)
            }
            switch piece {
            case .bytes(let bytes):
                if first.isEmpty { first = bytes } else { others.append(bytes) }
                count += bytes.count
                if count > limit.bytes {
                    // What has come is gone, so what is left must not be read as if it were the whole.
                    source.release()
                    throw Body.tooLarge(limit)
                }
            case .end: return others.isEmpty ? first : Bytes.joined([first] + others)
            case .broken(let error): throw error
            }
        }
    }

    /// The whole body as text; what is no UTF-8 shows as U+FFFD.
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
    public typealias Element = Bytes
    public typealias Failure = PlugboardError

    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: any BodySource
        private var isDone = false

        fileprivate init(source: any BodySource) { self.source = source }

        /// The trailer fields, once `next` has returned nil.
        public private(set) var trailers = Fields()

        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(PlugboardError) -> Bytes? {
            while !isDone {
                let piece: Piece
                if let ready = source.take() {
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

/// Resumes one continuation with the first answer and refuses the rest.
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
