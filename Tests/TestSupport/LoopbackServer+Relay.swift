import Foundation

extension LoopbackServer.Connection {
    /// Passes bytes between the client and a port of 127.0.0.1 until either side ends.
    package func relay(to port: Int) throws {
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
            while let bytes = try? server.read(), !bytes.isEmpty, (try? client.write(bytes)) != nil {}
            client.finishWriting()
        }
        back.start()
        while let bytes = try? client.read(), !bytes.isEmpty, (try? server.write(bytes)) != nil {}
        server.interrupt()
    }
}
