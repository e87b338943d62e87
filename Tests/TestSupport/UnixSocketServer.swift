import Glibc
import Testing

/// Listens on a socket in a folder of its own. Its responses contain its name, the request line and the Host.
///
/// Sendable because nothing changes after the initializer.
package final class UnixSocketServer: @unchecked Sendable {
    package let folder: String
    package let name = "socket"
    private let files: TemporaryFolder
    private let listener: Int32

    package var path: String { "\(folder)/\(name)" }

    /// - Parameter field: A field of its responses, as a line.
    package init(_ word: String, _ field: String = "Server: tests") throws {
        files = try TemporaryFolder("unix")
        folder = files.path
        listener = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array("\(folder)/socket".utf8)) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0 && listen(listener, 16) == 0)
        Thread.start { [listener] in
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                Thread.start { UnixSocketServer.serve(connection, word, field) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func serve(_ connection: Int32, _ word: String, _ field: String) {
        defer { close(connection) }
        var text = ""
        var piece = [UInt8](repeating: 0, count: 4096)
        while case let count = read(connection, &piece, piece.count), count > 0 {
            text += String(decoding: piece[..<count], as: UTF8.self)
            guard text.hasSuffix("\r\n\r\n") else { continue }
            let lines = text.split(separator: "\r\n")
            let host = lines.first { $0.hasPrefix("Host:") } ?? ""
            let body = "\(word) \(lines.first ?? "") \(host)"
            let response = "HTTP/1.1 200 OK\r\n\(field)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            _ = Array(response.utf8).withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
            text = ""
        }
    }

    private enum Thread {
        static func start(_ body: @escaping @Sendable () -> Void) {
            final class Box {
                let body: @Sendable () -> Void; init(_ body: @escaping @Sendable () -> Void) { self.body = body }
            }
            var thread = pthread_t()
            let box = Unmanaged.passRetained(Box(body)).toOpaque()
            pthread_create(
                &thread, nil,
                { context in
                    if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body() }
                    return nil
                }, box)
            pthread_detach(thread)
        }
    }
}
