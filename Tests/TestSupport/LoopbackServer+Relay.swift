import Foundation

extension LoopbackServer.Connection {
    /// Relays bytes between the client and a port of 127.0.0.1 until either side ends.
    ///
    /// - Parameter pace: Called before each of the parts into which bytes of the server are divided. With nil, they are
    ///   not divided.
    package func relay(to port: Int, parts: Int = 1, pace: (@Sendable () -> Void)? = nil) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError.failed("socket", errno) }
        let server = Socket(descriptor)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        let isConnected = withUnsafeBytes(of: &address) { bytes in
            connect(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) == 0
        }
        guard isConnected else { throw SystemError.failed("connect", errno) }
        let client = peer
        let back = Thread {
            while let bytes = try? server.read(), !bytes.isEmpty {
                let size = max((bytes.count + parts - 1) / parts, 1)
                let isPassed: Void? = try? stride(from: 0, to: bytes.count, by: size).forEach { start in
                    pace?()
                    try client.write(Array(bytes[start..<min(start + size, bytes.count)]))
                }
                if isPassed == nil { break }
            }
            client.finishWriting()
        }
        back.start()
        while let bytes = try? client.read(), !bytes.isEmpty, (try? server.write(bytes)) != nil {}
        server.interrupt()
    }
}
