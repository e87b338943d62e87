import PlugboardTransport

/// How a `CurlTransport` treats connections and memory.
package struct CurlTransportSettings: Sendable {
    /// The most idle connections that are kept. The number grows with the number of simultaneous attempts.
    package var idleConnections = 256
    /// The most bytes that one read from a connection returns. The system allocates only the memory that is used.
    package var receiveBuffer: ByteCount = .kibibytes(256)
    /// The bytes of a body that may wait for a slow reader before the sender is slowed. One read may exceed it.
    package var bodyQueueLimit: ByteCount = .mebibytes(1)
    /// The most bytes of a response's head, including interim heads and trailers.
    package var headLimit: ByteCount = .kibibytes(256)
    /// The most fields of a response's head.
    package var headFieldLimit = 16_384
    /// The most bytes of a released body that are still read, so that the connection can be used again.
    package var drainLimit: ByteCount = .kibibytes(64)
    /// The longest time for which a released body is still read.
    package var drainTime: Duration = .seconds(1)

    /// Whether the server must send `close_notify` before a TLS connection whose end is the end of a body (RFC 9112
    /// §9.8). It counts where the TLS library is OpenSSL.
    package var closeNotify = true
    /// Receives what libcurl logs, sends and receives.
    package var wireLog: WireLog?

    /// The default settings.
    package init() {}
}
