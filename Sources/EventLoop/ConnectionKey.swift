/// What tells the connections of a process apart: where they lead to, and from which port.
package struct ConnectionKey: Hashable {
    package let localPort: Int32
    private let remotePort: Int32
    /// Of the address as text.
    private let remoteAddress: UInt64

    /// Nil where the port is not known. The address is text that ends with NUL.
    package init?(remoteAddress: UnsafePointer<CChar>?, remotePort: Int32, localPort: Int32) {
        guard localPort > 0, var byte = remoteAddress else { return nil }
        self.localPort = localPort
        self.remotePort = remotePort
        // FNV-1a: an address is short, and its hash is needed for each request.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        while byte.pointee != 0 {
            hash = (hash ^ UInt64(UInt8(bitPattern: byte.pointee))) &* 0x100_0000_01B3
            byte += 1
        }
        self.remoteAddress = hash
    }
}
