import CPlugboard
import Synchronization

/// The body that a plugin's own source is put around. The source pulls it, on the loop, and releases it.
///
/// Sendable because pulls come one at a time, on the loop, and the kernel accepts the release from any thread.
public final class InnerBody: BodySource, @unchecked Sendable {
    private let raw: OpaquePointer
    private let host: UnsafePointer<plug_host_v1>
    private let isReleased = Atomic(false)

    init(_ raw: OpaquePointer, host: UnsafePointer<plug_host_v1>) {
        self.raw = raw
        self.host = host
    }

    /// Releases the body, once. An open pull of it ends with an error.
    public func release() {
        if !isReleased.exchange(true, ordering: .acquiringAndReleasing) { host.pointee.body_release(raw) }
    }

    deinit { release() }

    private var isGone: Bool { isReleased.load(ordering: .acquiring) }

    /// The total number of bytes; nil if it is not known.
    public var length: Int? {
        if isGone { return nil }
        let length = host.pointee.body_length(raw)
        return length == UInt64.max ? nil : Int(clamping: length)
    }

    /// Whether `rewind` is possible.
    public var canRewind: Bool { !isGone && host.pointee.body_can_rewind(raw) == 1 }

    /// Asks for the next piece, which completes `pull` on the loop. The bytes are a copy: see `withPiece` to read them
    /// in place.
    public func pull(_ pull: Pull) {
        withPiece { piece in
            switch piece {
            case .bytes(let bytes): pull.give(Bytes(copying: bytes))
            case .end(let trailers): pull.end(trailers: trailers)
            case .broken(let error): pull.fail(error)
            }
        }
    }

    /// A piece in place; the pointer is valid until the closure that receives it returns.
    public enum View {
        /// The next bytes, which may be none.
        case bytes(UnsafeRawBufferPointer)
        /// The end, with the trailer fields of the message (RFC 9110 §6.5), which may be empty.
        case end(trailers: Fields)
        /// The body cannot be read any further.
        case broken(PlugboardError)
    }

    /// Asks for the next piece, and calls `body` with it in place, once, on the loop.
    public func withPiece(_ body: @escaping (borrowing View) -> Void) {
        ask { view, _ in body(view) }
    }

    typealias Look = (borrowing View, UnsafePointer<plug_piece_v1>) -> Void

    /// Returns false, and never calls `look`, if the body was given back.
    @discardableResult
    func ask(_ look: @escaping Look) -> Bool {
        if isGone { return false }
        let waiting = Unmanaged.passRetained(Waiting(self, look)).toOpaque()
        let result = host.pointee.body_pull(raw, waiting) { context, piece in
            guard let context else { return }
            let waiting = Unmanaged<Waiting>.fromOpaque(context).takeRetainedValue()
            guard let piece else { return }
            waiting.look(waiting.inner.view(piece.pointee), piece)
        }
        if result != PLUG_OK { Unmanaged<Waiting>.fromOpaque(waiting).release() }
        return result == PLUG_OK
    }

    private func view(_ piece: plug_piece_v1) -> View {
        switch piece.kind {
        case PLUG_PIECE_BYTES: .bytes(piece.bytes.buffer)
        case PLUG_PIECE_END: .end(trailers: piece.trailers.map { Head(raw: $0, host: host).fields } ?? Fields())
        default: .broken(PlugboardError(.init(piece.code.string), piece.reason.string))
        }
    }

    /// Completes a pull with this body's next piece, without a copy, after `look` was called with it in place.
    public func forward(_ pull: Pull, _ look: @escaping (borrowing View) -> Void = { _ in }) {
        ask { [host] view, piece in
            look(view)
            _ = host.pointee.pull_forward(host, pull.serial, piece)
        }
    }

    /// Completes a pull with this body's next piece if `accepts` accepts it. Otherwise the pull stays open, and the
    /// source completes it itself.
    public func forwardAccepted(_ pull: Pull, by accepts: @escaping (borrowing View) -> Bool) {
        ask { [host] view, piece in
            if accepts(view) { _ = host.pointee.pull_forward(host, pull.serial, piece) }
        }
    }

    /// Lets the body begin again at its first byte. Returns false where that is not possible.
    public func rewind() -> Bool { !isGone && host.pointee.body_rewind(raw) == PLUG_OK }

    /// A pull that waits for a piece. It keeps the body, which must not be released while it is pulled.
    private final class Waiting {
        let inner: InnerBody
        let look: Look

        init(_ inner: InnerBody, _ look: @escaping Look) {
            self.inner = inner
            self.look = look
        }
    }
}
