import CPlugboardEpoll

/// The operations that a socket is ready for, or that it is watched for, in the bits of epoll.
public struct Readiness: OptionSet, Sendable {
    /// The bits of `epoll_event.events`.
    public let rawValue: UInt32

    /// The bits of `epoll_event.events`.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Reading does not block.
    public static let read = Readiness(rawValue: cepoll_in)
    /// Writing does not block.
    public static let write = Readiness(rawValue: cepoll_out)
    /// The connection has an error, or the peer has closed it. It is always reported.
    public static let broken = Readiness(rawValue: cepoll_error | cepoll_hang_up)
}
