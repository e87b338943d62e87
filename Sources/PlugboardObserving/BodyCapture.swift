import PlugboardKit
import Synchronization

/// The most bytes that captures keep together. [any]
public final class CaptureBudget: Sendable {
    private let left: Atomic<Int>

    /// A budget of so many bytes.
    public init(_ bytes: Int) { left = Atomic(bytes) }

    /// Returns how many of these bytes there is room for.
    fileprivate func take(_ count: Int) -> Int {
        let before = left.subtract(count, ordering: .relaxed).oldValue
        let taken = min(max(before, 0), count)
        giveBack(count - taken)
        return taken
    }

    fileprivate func giveBack(_ count: Int) { if count > 0 { left.add(count, ordering: .relaxed) } }
}

/// The first bytes of a body that is being read, and the number of all its bytes.
///
/// Sendable because a body is pulled on its loop, one piece at a time, and read here after the exchange has completed.
public final class BodyCapture: @unchecked Sendable {
    private var limit: Int
    private var budget: CaptureBudget?
    private let keepsTrailers: Bool
    /// The first bytes.
    public private(set) var bytes: [UInt8] = []
    /// The number of all bytes that were read.
    public private(set) var count = 0
    /// Whether the body has ended or broken; nil while it may go on.
    private var hasEnded: Bool?
    /// The number of all bytes that it is to have, if that is known before.
    package var length: Int?
    /// Whether the body was read to its end, or has all bytes that it was to have: the reader of a body of known length
    /// need not ask for its end.
    public var isWhole: Bool { hasEnded ?? (count == length) }
    /// The fields after the body; none unless they are kept.
    public private(set) var trailers = Fields()

    /// - Parameters:
    ///   - limit: The most bytes that are kept.
    ///   - keepsTrailers: Whether the fields after the body are kept too, of any size.
    ///   - budget: Limits it together with other captures, until `leaveBudget`.
    public init(upTo limit: Int, keepsTrailers: Bool = false, within budget: CaptureBudget? = nil) {
        (self.limit, self.keepsTrailers, self.budget) = (limit, keepsTrailers, budget)
    }

    deinit { leaveBudget() }

    /// Gives its bytes back to the budget, because they are limited otherwise from now on.
    public func leaveBudget() {
        budget?.giveBack(bytes.count)
        budget = nil
    }

    /// What another one has taken so far, to be read while the other takes more. Called on the body's loop.
    public init(copying other: BodyCapture) {
        (limit, keepsTrailers, trailers) = (other.limit, other.keepsTrailers, other.trailers)
        (bytes, count, hasEnded, length) = (other.bytes, other.count, other.hasEnded, other.length)
    }

    /// Whether bytes were read that are not kept.
    public var isCut: Bool { bytes.count < count }

    /// Takes bytes that are read.
    public func take(_ piece: UnsafeRawBufferPointer) {
        count += piece.count
        let wanted = min(piece.count, max(limit - bytes.count, 0))
        let kept = budget?.take(wanted) ?? wanted
        bytes.append(contentsOf: piece.prefix(kept))
        // Nothing is kept after a gap.
        if kept < wanted { limit = bytes.count }
    }

    /// Takes a piece of the body, or its end.
    public func take(_ view: borrowing InnerBody.View) {
        switch view {
        case .bytes(let piece): take(piece)
        case .end(let fields):
            hasEnded = true
            if keepsTrailers { trailers = fields }
        case .broken: hasEnded = false
        }
    }

    /// Takes a whole body that is in memory.
    public func takeWhole(_ bytes: UnsafeRawBufferPointer) {
        take(bytes)
        hasEnded = true
    }

    /// Starts again, because the body is read from its beginning.
    public func restart() {
        budget?.giveBack(bytes.count)
        (bytes, count, hasEnded) = ([], 0, nil)
    }
}

extension Fields {
    /// The approximate memory in bytes.
    public var memory: Int { byteCount + 32 * count }
}

/// Captures a body while it is read. Delays no bytes, and reads only when its reader asks.
public final class CapturedSource: BodySource {
    private let inner: InnerBody
    private let capture: BodyCapture

    /// The body and where it is captured.
    public init(_ inner: InnerBody, _ capture: BodyCapture) {
        (self.inner, self.capture) = (inner, capture)
        capture.length = inner.length
    }

    public var length: Int? { inner.length }
    public var canRewind: Bool { inner.canRewind }

    public func pull(_ pull: Pull) { inner.forward(pull) { [capture] in capture.take($0) } }

    public func rewind() -> Bool {
        guard inner.rewind() else { return false }
        capture.restart()
        return true
    }

    public func release() { inner.release() }
}
