import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An address of a server: the bytes of a `sockaddr`.
struct RedisAddress: Sendable {
    private let family: Int32
    private let bytes: [UInt8]

    /// The addresses of a server. Blocks while a name is resolved. Throws if there is none.
    static func all(of place: RedisServer.Place) throws(PlugboardError) -> [RedisAddress] {
        switch place {
        case .socket(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
            return [withUnsafeBytes(of: &address) { RedisAddress(family: AF_UNIX, bytes: Array($0)) }]
        case .host(let name, let port):
            var (hints, found) = (addrinfo(), UnsafeMutablePointer<addrinfo>?.none)
            hints.ai_socktype = RedisAddress.stream
            let code = getaddrinfo(name, port, &hints, &found)
            guard code == 0 else {
                throw PlugboardError(
                    .transportDNS, "its name has no address (\(String(cString: gai_strerror(code))))")
            }
            defer { freeaddrinfo(found) }
            return sequence(first: found) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap { entry in
                guard let entry = entry?.pointee, let address = entry.ai_addr else { return nil }
                let bytes = UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))
                return RedisAddress(family: entry.ai_family, bytes: Array(bytes))
            }
        }
    }

    /// Begins to connect. Returns a descriptor that does not block. Throws if the system refuses.
    func connect() throws(PlugboardError) -> Int32 {
        let descriptor = socket(family, RedisAddress.stream | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw RedisAddress.systemError }
        var isOn: Int32 = 1
        // Best effort: a socket of another family has no such option.
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        let code = bytes.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                #if canImport(Glibc)
                    Glibc.connect(descriptor, $0.baseAddress, socklen_t(bytes.count))
                #else
                    Musl.connect(descriptor, $0.baseAddress, socklen_t(bytes.count))
                #endif
            }
        }
        if code == 0 || errno == EINPROGRESS { return descriptor }
        let error = RedisAddress.systemError
        close(descriptor)
        throw error
    }

    private static var systemError: PlugboardError {
        PlugboardError(.transportConnect, String(cString: strerror(errno)))
    }
    private static var stream: Int32 { Int32(SOCK_STREAM.rawValue) }
}

/// The environment of this process.
enum Environment {
    static func value(of name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
