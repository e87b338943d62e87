/// A body: bytes that are pulled, piece by piece.
///
/// One type serves requests and responses, kernel, transport and plugins. A plugin that watches, stores, decodes, compresses,
/// limits or mends a body puts a source of its own around the one it found.
///
/// Within an exchange everything is called on its loop and must not block. A source is pulled again only when the last pull was answered.
public protocol BodySource: AnyObject, Sendable {
    /// Bytes in all, if that is known beforehand.
    var length: Int? { get }

    /// Whether `rewind` can work.
    var canRewind: Bool { get }

    /// Asks for the next piece. The pull is answered once, now or later, from any thread. There is no pull after the end
    /// or a break, but after a `rewind`.
    func pull(_ pull: Pull)

    /// What is there at once, without waiting, or nil; like the answer to a pull. Optional: nil is always right.
    func take() -> Piece?

    /// Begins again at the first byte; false when that cannot be.
    func rewind() -> Bool

    /// The same bytes from their beginning, to be pulled beside this source; nil where there is no such thing. From any
    /// thread.
    func again() -> (any BodySource)?

    /// The last call, on whatever thread: nobody wants the rest. A pull that is still open need not be answered any more.
    func release()
}

extension BodySource {
    public var canRewind: Bool { false }
    public func take() -> Piece? { nil }
    public func rewind() -> Bool { false }
    public func again() -> (any BodySource)? { nil }
    public func release() {}
}

/// What a pull brings.
public enum Piece: Sendable {
    /// Never empty, except by mistake, and then harmless.
    case bytes(Bytes)
    /// The end, with the trailer fields if there were any (RFC 9110 §6.5).
    case end(trailers: Fields)
    /// No more will come.
    case broken(PlugboardError)
}

/// A question for the next piece of a body, to be answered once, from any thread.
///
/// A second or late answer is ignored and returns false.
public struct Pull: Sendable {
    private let receiver: any PullReceiver
    package let serial: UInt64

    public init(_ receiver: any PullReceiver, serial: UInt64 = 0) {
        self.receiver = receiver
        self.serial = serial
    }

    @discardableResult
    public func complete(_ piece: Piece) -> Bool { receiver.receive(piece, serial: serial) }

    @discardableResult
    public func give(_ bytes: Bytes) -> Bool { complete(.bytes(bytes)) }

    @discardableResult
    public func end(trailers: Fields = Fields()) -> Bool { complete(.end(trailers: trailers)) }

    @discardableResult
    public func fail(_ error: PlugboardError) -> Bool { complete(.broken(error)) }
}

/// Who asked: gets the answer to a pull, on the thread that answers it.
public protocol PullReceiver: AnyObject, Sendable {
    /// Returns false if the pull of this serial is answered already, or nobody waits for it any more.
    func receive(_ piece: Piece, serial: UInt64) -> Bool
}
