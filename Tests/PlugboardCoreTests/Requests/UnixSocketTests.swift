import Glibc
import Plugboard
import PlugboardKit
import TestSupport
import Testing

/// Requests over Unix domain sockets.
struct UnixSocketTests {
    @Test func `a request goes to its socket, with the Host of its URL`() async throws {
        let server = try UnixSocketServer("one")
        let kernel = try Kernel(log: .silent)
        var request = Request(.get, "http://service.test/path")
        request.options.unixSocket = server.path

        let response = try await kernel.send(request)

        #expect(try await response.body.text() == "one GET /path HTTP/1.1 Host: service.test")
        await kernel.shutDown()
    }

    @Test func `a connection serves the requests of its own socket only`() async throws {
        let (one, two) = (try UnixSocketServer("one"), try UnixSocketServer("two"))
        let network = try LoopbackServer.responding { _ in ServerResponse(body: "network") }
        defer { network.stop() }
        let kernel = try Kernel(log: .silent)
        var bodies: [String] = []

        for path in [one.path, two.path, nil, one.path, two.path, nil] {
            var request = Request(.get, network.url("/"))
            request.options.unixSocket = path
            bodies.append(try await kernel.send(request).body.text())
        }

        #expect(bodies.map { String($0.prefix(3)) } == ["one", "two", "net", "one", "two", "net"])
        await kernel.shutDown()
    }

    @Test func `a configuration's socket is for all requests, and its path begins at the file's folder`() async throws {
        let server = try UnixSocketServer("one")
        let configuration = try Configuration.text(
            #"{ "kernel": { "unixSocket": "\#(server.name)", "proxy": "http://127.0.0.1:1" } }"#, folder: server.folder)
        let kernel = try Kernel(configuration: configuration, log: .silent)

        let text = try await kernel.send(Request(.get, "http://service.test/")).body.text()

        #expect(text.hasPrefix("one "))
        await kernel.shutDown()
    }

    @Test func `a socket that is not there is an error of the connection`() async throws {
        let kernel = try Kernel(log: .silent)
        var request = Request(.get, "http://service.test/")
        request.options.unixSocket = "/nonexistent/socket"

        let error = try await failure(of: kernel, request)

        #expect(error.code == .connect)
        await kernel.shutDown()
    }

    @Test(arguments: ["", String(repeating: "s", count: 108), "a\0b"])
    func `a path that cannot be one is refused before anything is sent`(path: String) async throws {
        let kernel = try Kernel(log: .silent)
        var request = Request(.get, "http://service.test/")
        request.options.unixSocket = path

        #expect(try await failure(of: kernel, request).code == .invalidOption)
        await kernel.shutDown()
    }
}

/// Listens on a socket in a folder of its own, and says to each request its name, the request line and the Host.
///
/// Sendable because nothing changes once it is made.
private final class UnixSocketServer: @unchecked Sendable {
    let folder: String
    let name = "socket"
    private let files: TemporaryFolder
    private let listener: Int32

    var path: String { "\(folder)/\(name)" }

    init(_ word: String) throws {
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
                Thread.start { UnixSocketServer.serve(connection, word) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func serve(_ connection: Int32, _ word: String) {
        defer { close(connection) }
        var text = ""
        var piece = [UInt8](repeating: 0, count: 4096)
        while case let count = read(connection, &piece, piece.count), count > 0 {
            text += String(decoding: piece[..<count], as: UTF8.self)
            guard text.hasSuffix("\r\n\r\n") else { continue }
            let lines = text.split(separator: "\r\n")
            let host = lines.first { $0.hasPrefix("Host:") } ?? ""
            let body = "\(word) \(lines.first ?? "") \(host)"
            let response = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
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
