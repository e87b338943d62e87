import PlugboardKit
import PlugboardSQLite

/// Reads a request's body to its end, and meanwhile writes each full piece to the file.
///
/// Sendable because it is used on the loop only.
final class BodySpool: @unchecked Sendable {
    /// What was read: the pieces in the file (`begun`), and the rest in memory.
    struct Content: Sendable {
        var length = 0
        var rest: [UInt8] = []
        var begun: (sequence: Int64, pieces: Int)?
    }

    /// The bytes of a piece in the file.
    static let pieceSize = 128 << 10

    private let body: InnerBody
    private let limit: Int
    private let id: String
    private let line: String?
    private let patience: Duration?
    private let host: PluginHost
    private let store: QueueStore
    private let done: @Sendable (Result<Content, PlugboardError>) -> Void
    private var content = Content()
    /// The number of bytes of `content.rest` that are written already. A body in memory may arrive as one large piece.
    private var written = 0
    private var isPulling = false
    private var isCompleted = false
    private var isOver = false
    private var isWriting = false

    /// - Parameters:
    ///   - line: The line that the entry holds until its body is complete; nil for a request that will wait.
    ///   - patience: The longest time without a byte of the body; nil for no limit.
    ///   - done: Called once with the outcome, on the loop.
    init(
        _ body: InnerBody, upTo limit: Int, id: String, holding line: String?, patience: Duration?, _ host: PluginHost,
        _ store: QueueStore,
        _ done: @escaping @Sendable (Result<Content, PlugboardError>) -> Void
    ) {
        self.body = body
        self.limit = limit
        self.id = id
        self.line = line
        self.patience = patience
        self.host = host
        self.store = store
        self.done = done
    }

    // The caller may cancel while a piece is written. Then the body delivers no other piece.
    deinit { if !isOver, let begun = content.begun { store.discard(begun.sequence) } }

    /// [loop]
    func begin() {
        if let length = body.length, length > limit { return end(.failure(tooLarge)) }
        pull()
        if let patience, !isOver { watch(patience, from: content.length) }
    }

    /// Fails if no byte of the body has arrived within the patience.
    private func watch(_ patience: Duration, from count: Int) {
        host.schedule(after: patience, on: host.currentLoop) { [weak self] in
            guard let self, !isOver else { return }
            let isStalled = content.length == count && !isWriting
            if isStalled { end(.failure(stalled(patience))) } else { watch(patience, from: content.length) }
        }
    }

    /// A loop instead of recursion, because many pieces may be available at once.
    private func pull() {
        isPulling = true
        repeat {
            isCompleted = false
            body.withPiece { [self] piece in
                take(piece)
                isCompleted = true
                if !isPulling, !isOver, !isWriting { pull() }
            }
        } while isCompleted && !isOver && !isWriting
        isPulling = false
    }

    private func take(_ piece: borrowing InnerBody.View) {
        // Ignores a piece that arrives after the end.
        if isOver { return }
        switch copy piece {
        case .bytes(let bytes):
            guard bytes.count <= limit - content.length else { return end(.failure(tooLarge)) }
            content.length += bytes.count
            content.rest += bytes
            if hasPiece { write() }
        case .end: end(.success(content))
        case .broken(let error): end(.failure(error))
        }
    }

    private var hasPiece: Bool { content.rest.count - written >= BodySpool.pieceSize }

    private func write() {
        isWriting = true
        let bytes = Array(content.rest[written..<written + BodySpool.pieceSize])
        written += BodySpool.pieceSize
        if !hasPiece {
            content.rest.removeFirst(written)
            written = 0
        }
        store.append(bytes, to: content.begun, id: id, holding: line) { [self] result in
            isWriting = false
            switch result {
            case .success(let begun) where isOver: store.discard(begun.sequence)
            case .success(let begun):
                content.begun = begun
                if hasPiece { write() } else { pull() }
            case .failure(let error): end(.failure(error))
            }
        }
    }

    private func end(_ result: Result<Content, PlugboardError>) {
        guard !isOver else { return }
        isOver = true
        if case .failure = result, let begun = content.begun { store.discard(begun.sequence) }
        done(result)
    }

    private func stalled(_ patience: Duration) -> PlugboardError {
        PlugboardError(
            .bodyRead,
            "No byte of the request body arrived for \(patience), while its category waits. Queue it when its body is "
                + "complete, or raise categoryWait of queue."
        )
    }

    private var tooLarge: PlugboardError {
        PlugboardError(
            .bodyLimit,
            "The body of the request is larger than \(ByteCount.bytes(limit)), and cannot be queued. Raise bodyLimit of queue."
        )
    }
}
