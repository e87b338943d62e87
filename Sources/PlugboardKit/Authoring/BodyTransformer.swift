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
    /// Whether exactly as many bytes come out as go in. Then the length and `Content-Length` stay as they are; else the
    /// length is unknown and the field is removed. False if it is not declared.
    static var keepsLength: Bool { get }

    /// Appends the output for the next bytes to `output`, which is empty: any number of bytes, also none.
    ///
    /// The pointer is valid until this returns. An error breaks the body off; what the same call has appended is
    /// dropped.
    mutating func transform(
        _ piece: UnsafeRawBufferPointer, into output: inout [UInt8]
    ) throws(PlugboardError)

    /// Appends the rest to `output`, which is empty, at the end of the body. Throws like `transform`. Not called for a
    /// body that breaks off. Does nothing if it is not declared.
    mutating func finish(into output: inout [UInt8]) throws(PlugboardError)
}

extension BodyTransformer {
    public static var keepsLength: Bool { false }
    public mutating func finish(into output: inout [UInt8]) throws(PlugboardError) {}
}

extension Exchange {
    /// Puts a transformer around the response's body, in `onResponse`; a fault in another hook. Does nothing if there
    /// is no body, as of HEAD, 204 and 304.
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

    /// Puts a transformer around the request's body, in `onRequest`; a fault in another hook. Does nothing if there is
    /// no body.
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
/// Sendable because the kernel calls a source that a hook made on the loop only, and the pieces that it pulls come
/// there.
final class TransformedBody<Transformer: BodyTransformer>: BodySource, @unchecked Sendable {
    private let inner: InnerBody
    private let make: @Sendable () -> Transformer
    private var transformer: Transformer
    /// What the open pull is to be completed with; nil if that needs more of the inner body.
    private var next: Piece?
    /// The inner body's end, once it has come.
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

    /// Pulls until there is output for the open pull. A loop and no recursion: pieces that are there at once would nest
    /// calls.
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

    /// The kernel may pull again within this, so nothing follows the completion.
    private func complete() {
        guard let pull = open, let piece = next else { return }
        open = nil
        next = nil
        pull.complete(piece)
    }

    private func take(_ piece: borrowing InnerBody.View) {
        // The body was given back while a pull was open: this is its break.
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
