/// A body, from which pieces are pulled.
///
/// One type serves requests and responses, the kernel, the transport and plugins. A plugin that watches, stores,
/// decodes, compresses, limits or repairs a body wraps the body's source in a source of its own.
///
/// In an exchange, all functions are called on its loop and must not block. A source is pulled again only after the
/// last pull was completed.
public protocol BodySource: AnyObject, Sendable {
    /// The total number of bytes; nil if it is not known in advance.
    var length: Int? { get }

    /// Whether `rewind` can succeed.
    var canRewind: Bool { get }

    /// Asks for the next piece. The source completes the pull once, now or later, from any thread. It is not pulled
    /// after the end or a break, except after `rewind`.
    func pull(_ pull: Pull)

    /// The next piece if it is available now, as a pull would bring it, or nil. Returning nil is always correct.
    func nextIfReady() -> Piece?

    /// Starts over at the first byte. Returns false if that is not possible.
    func rewind() -> Bool

    /// Another source of the same bytes, from the first, which is pulled independently of this one; nil if there can be
    /// none. From any thread.
    func copy() -> (any BodySource)?

    /// The last call, from any thread, when the rest of the body is not wanted. An open pull need not be completed.
    func release()
}

extension BodySource {
    /// False.
    public var canRewind: Bool { false }
    /// Nil.
    public func nextIfReady() -> Piece? { nil }
    /// False.
    public func rewind() -> Bool { false }
    /// Nil.
    public func copy() -> (any BodySource)? { nil }
    /// Does nothing.
    public func release() {}
}

/// The result of a pull: a piece of the body, or its end.
public enum Piece: Sendable {
    /// The next bytes. They should not be empty; readers skip empty pieces.
    case bytes(Bytes)
    /// The end, with the trailer fields of the message (RFC 9110 §6.5), which may be empty.
    case end(trailers: Fields)
    /// The body cannot be read any further.
    case broken(PlugboardError)
}

/// A request for the next piece of a body. It is completed once, from any thread.
///
/// Each function completes it and returns whether the piece was taken: a second or late piece is ignored.
public struct Pull: Sendable {
    private let receiver: any PullReceiver
    /// A number by which the receiver recognizes a late piece.
    package let serial: UInt64

    /// A pull whose piece goes to `receiver`, together with `serial`.
    public init(_ receiver: any PullReceiver, serial: UInt64 = 0) {
        self.receiver = receiver
        self.serial = serial
    }

    /// Completes the pull with a piece.
    @discardableResult
    public func complete(_ piece: Piece) -> Bool { receiver.receive(piece, serial: serial) }

    /// Completes the pull with bytes.
    @discardableResult
    public func give(_ bytes: Bytes) -> Bool { complete(.bytes(bytes)) }

    /// Completes the pull with the body's end.
    @discardableResult
    public func end(trailers: Fields = Fields()) -> Bool { complete(.end(trailers: trailers)) }

    /// Completes the pull with an error, which ends the body.
    @discardableResult
    public func fail(_ error: PlugboardError) -> Bool { complete(.broken(error)) }
}

/// Receives the piece that completes a pull, on the thread that completes it.
public protocol PullReceiver: AnyObject, Sendable {
    /// Returns false if the pull with this serial is complete, or if its piece is no longer wanted.
    func receive(_ piece: Piece, serial: UInt64) -> Bool
}
