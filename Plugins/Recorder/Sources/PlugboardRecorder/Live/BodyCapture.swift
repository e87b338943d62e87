import PlugboardKit

/// The first bytes of a body that is being read, and the number of all its bytes.
///
/// Sendable because a body is pulled on its loop, one piece at a time, and read here after the exchange has completed.
final class BodyCapture: @unchecked Sendable {
    private let limit: Int
    private(set) var bytes: [UInt8] = []
    /// The number of all bytes that were read.
    private(set) var count = 0
    /// Whether the body was read to its end.
    private(set) var isWhole = false
    private(set) var trailers = Fields()

    /// - Parameter limit: The most bytes that are kept.
    init(upTo limit: Int) { self.limit = limit }

    /// Whether bytes were read that are not kept.
    var isCut: Bool { bytes.count < count }

    func take(_ piece: UnsafeRawBufferPointer) {
        count += piece.count
        bytes.append(contentsOf: piece.prefix(max(limit - bytes.count, 0)))
    }

    func take(_ view: borrowing InnerBody.View) {
        switch view {
        case .bytes(let piece): take(piece)
        case .end(let fields):
            isWhole = true
            trailers = fields
        case .broken: break
        }
    }

    /// Takes a whole body that is in memory.
    func takeWhole(_ bytes: UnsafeRawBufferPointer) {
        take(bytes)
        isWhole = true
    }

    /// Starts again, because the body is read from its beginning.
    func restart() { (bytes, count, isWhole) = ([], 0, false) }
}

/// Captures a body while it is read. Delays no bytes, and reads only when its reader asks.
final class CapturedSource: BodySource {
    private let inner: InnerBody
    private let capture: BodyCapture

    init(_ inner: InnerBody, _ capture: BodyCapture) { (self.inner, self.capture) = (inner, capture) }

    var length: Int? { inner.length }
    var canRewind: Bool { inner.canRewind }

    func pull(_ pull: Pull) { inner.forward(pull) { [capture] in capture.take($0) } }

    func rewind() -> Bool {
        guard inner.rewind() else { return false }
        capture.restart()
        return true
    }

    func release() { inner.release() }
}
