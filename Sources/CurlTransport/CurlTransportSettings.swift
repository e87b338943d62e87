import Transporting

/// How a `CurlTransport` treats connections and memory.
public struct CurlTransportSettings: Sendable {
    /// Connections at once, to all hosts together; further attempts wait. 0 sets no limit.
    public var connections = 0
    /// Connections at once to one host. 0 sets no limit.
    public var connectionsPerHost = 0
    /// Connections that are kept for later; there are never fewer than attempts have run at once.
    public var idleConnections = 64
    /// Bytes that one read from a connection may bring. Memory is touched only as far as it is used.
    public var receiveBuffer: ByteCount = .kibibytes(256)
    /// Bytes of a body that wait for a slow reader before the sender is slowed. A read may go beyond it once.
    public var bodyQueueLimit: ByteCount = .mebibytes(1)
    /// Bytes that the head of an answer may have, interim heads and trailers included.
    public var headLimit: ByteCount = .kibibytes(256)
    /// Fields that the head of an answer may have.
    public var headFieldLimit = 16_384
    /// Bytes of an unwanted rest that are read so that the connection can be used again.
    public var drainLimit: ByteCount = .kibibytes(64)
    /// How long such a rest is waited for.
    public var drainTime: Duration = .seconds(1)

    public init() {}
}
