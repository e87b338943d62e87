/// Identifies a connection among those of the process: remote address, remote port and local port.
package struct ConnectionKey: Hashable {
    /// Hashes the local port only, which the system gives to few connections, because each request needs the hash.
    package func hash(into hasher: inout Hasher) { hasher.combine(localPort) }

    /// The local port, greater than 0.
    package let localPort: Int32
    private let remotePort: Int32
    /// A hash of the address as text.
    private let remoteAddress: UInt64

    /// Nil if the local port or the address is not known.
    ///
    /// - Parameter remoteAddress: The address as text that ends with NUL; read during the call only.
    package init?(remoteAddress: UnsafePointer<CChar>?, remotePort: Int32, localPort: Int32) {
        guard localPort > 0, var byte = remoteAddress else { return nil }
        self.localPort = localPort
        self.remotePort = remotePort
        // FNV-1a, because it is fast for short texts: the hash is needed for each request.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        while byte.pointee != 0 {
            hash = (hash ^ UInt64(UInt8(bitPattern: byte.pointee))) &* 0x100_0000_01B3
            byte += 1
        }
        self.remoteAddress = hash
    }
}
