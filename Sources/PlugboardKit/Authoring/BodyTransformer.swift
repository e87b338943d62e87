/// Changes a body while it flows: bytes go in piece by piece, and other bytes come out.
///
///     struct Uppercase: BodyTransformer {
///         mutating func transform(_ piece: UnsafeRawBufferPointer, into output: inout [UInt8]) {
///             output += piece.map { (0x61...0x7a).contains($0) ? $0 - 0x20 : $0 }
///         }
///     }
///     exchange.transformResponseBody { Uppercase() }
///
/// A value serves one body from its beginning to its end. Its functions are called on the loop, never two at a time,
/// and must not block. It needs the memory of one piece and of its output; a transformer whose output can be much
/// larger than the piece has to limit that itself.
public protocol BodyTransformer {
    /// Whether the output has exactly as many bytes as the input. If so, the length and `Content-Length` stay as they
    /// are; otherwise the length is unknown and the field is removed. The default is false.
    static var keepsLength: Bool { get }

    /// Appends the output for the next bytes to `output`, which is empty. The output may have any length, including 0.
    ///
    /// The pointer is valid until this returns. An error ends the body; the bytes that the same call has appended are
    /// dropped.
    mutating func transform(
        _ piece: UnsafeRawBufferPointer, into output: inout [UInt8]
    ) throws(PlugboardError)

    /// Called at the end of the body. Appends the rest of the output to `output`, which is empty. Throws like
    /// `transform`. Not called for a body that ends with an error. The default does nothing.
    mutating func finish(into output: inout [UInt8]) throws(PlugboardError)
}

extension BodyTransformer {
    public static var keepsLength: Bool { false }
    public mutating func finish(into output: inout [UInt8]) throws(PlugboardError) {}
}

extension Exchange {
    /// Puts a transformer around the response's body, in `onResponse`; in another hook this is a fault. Does nothing
    /// without a body, as in responses to HEAD, and with 204 or 304.
    ///
    /// - Parameter make: Called once here, and again each time the body begins again. [loop]
    public func transformResponseBody<Transformer: BodyTransformer>(
        _ make: @escaping @Sendable () -> Transformer
    ) {
        var isWrapped = false
        wrapResponseBody { inner in
            isWrapped = true
            return TransformedBody(inner, make)
        }
        if isWrapped && !Transformer.keepsLength { response?[.contentLength] = nil }
    }

    /// Puts a transformer around the request's body. Call it in `onRequest`; in another hook it is a fault. Does
    /// nothing without a body.
    ///
    /// - Parameter make: Called once here, and again each time the body begins again. [loop]
    public func transformRequestBody<Transformer: BodyTransformer>(
        _ make: @escaping @Sendable () -> Transformer
    ) {
        var isWrapped = false
        wrapRequestBody { inner in
            isWrapped = true
            return TransformedBody(inner, make)
        }
        if isWrapped && !Transformer.keepsLength { request[.contentLength] = nil }
    }
}

/// A body with a transformer around it.
///
/// Sendable because the kernel calls a source that a hook made only on the loop, and pulled pieces arrive on the
/// loop, too.
final class TransformedBody<Transformer: BodyTransformer>: BodySource, @unchecked Sendable {
    private let inner: InnerBody
    private let make: @Sendable () -> Transformer
    private var transformer: Transformer
    /// The piece that completes the open pull; nil if more of the inner body is needed.
    private var next: Piece?
    /// The inner body's end, after it was received.
    private var end: Piece?
    private var open: Pull?
    private var isRunning = false
    private var isReleased = false

    init(_ inner: InnerBody, _ make: @escaping @Sendable () -> Transformer) {
        self.inner = inner
        self.make = make
        transformer = make()
    }

    var length: Int? { Transformer.keepsLength ? inner.length : nil }
    var canRewind: Bool { inner.canRewind }

    func pull(_ pull: Pull) {
        if let end {
            pull.complete(end)
            return
        }
        open = pull
        run()
    }

    func rewind() -> Bool {
        guard inner.rewind() else { return false }
        transformer = make()
        end = nil
        return true
    }

    func release() {
        isReleased = true
        inner.release()
    }

    /// Pulls until there is output for the open pull. Uses a loop instead of recursion, because pieces that are ready
    /// at once would nest calls.
    private func run() {
        isRunning = true
        var isPulled = false
        repeat {
            isPulled = false
            inner.withPiece { [self] piece in
                isPulled = true
                take(piece)
                guard !isRunning else { return }
                if next == nil { run() } else { complete() }
            }
        } while isPulled && next == nil && !isReleased
        isRunning = false
        if isPulled { complete() }
    }

    /// The kernel may pull again within `Pull.complete`, so no code follows it.
    private func complete() {
        guard let pull = open, let piece = next else { return }
        open = nil
        next = nil
        pull.complete(piece)
    }

    private func take(_ piece: borrowing InnerBody.View) {
        // The body was released while a pull was open: this piece is the error that ends the pull.
        if isReleased { return }
        var output: [UInt8] = []
        do throws(PlugboardError) {
            switch piece {
            case .bytes(let bytes):
                if !bytes.isEmpty { try transformer.transform(bytes, into: &output) }
            case .end(let trailers):
                end = .end(trailers: trailers)
                try transformer.finish(into: &output)
            case .broken(let error): throw error
            }
            next = output.isEmpty ? end : .bytes(Bytes(output))
        } catch {
            end = .broken(error)
            next = end
        }
    }
}
