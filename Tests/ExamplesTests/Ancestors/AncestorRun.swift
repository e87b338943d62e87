import PlugboardJSON
import Synchronization
import TestSupport

/// One run of a program of `Examples/Ancestors`, and what its server has received.
struct AncestorRun {
    let server: LoopbackServer
    let outcome: ProcessRunner.Outcome
    let folder: TemporaryFolder

    /// The lines that the program has printed.
    var lines: [String] { outcome.stdout.split(separator: "\n").map(String.init) }

    /// - Parameters:
    ///   - name: The name of the ancestor.
    ///   - arguments: The program's, behind the server's URL, for a folder of files.
    ///   - respond: The server's responses, by the request and its number among those to its path, from 1. What is
    ///     below a path `slow` gets its response when the program has ended.
    init(
        _ name: String, environment: [String: String] = [:],
        arguments: (TemporaryFolder) throws -> [String] = { _ in [] },
        _ respond: @escaping @Sendable (ReceivedRequest, Int) throws -> ServerResponse
    ) async throws {
        folder = try TemporaryFolder(name)
        let (counts, ended) = (Counts(), Gate())
        defer { ended.open() }
        server = try LoopbackServer.responding {
            if $0.path.split(separator: "/").contains("slow") { try ended.wait() }
            return try respond($0, counts.next($0.path))
        }
        let url = server.url()
        outcome = try await ProcessRunner.running(
            [try Products.executable("Example\(name)"), String(url.dropLast())] + arguments(folder),
            environment: environment)
    }

    /// What the server has received below a path, as lines: method, target and body.
    func received(_ path: String = "/") -> [String] {
        server.requests.filter { $0.path.hasPrefix(path) }.map { request in
            "\(request.method) \(request.target)\(request.body.isEmpty ? "" : " \(request.text)")"
        }
    }

    /// A server whose key is pinned, its authority and key, and one whose certificate is not valid, as arguments; none
    /// where there is no nginx.
    static func secureServers() throws -> [String] {
        guard NginxServer.isAvailable else { return [] }
        let server = try NginxServer.shared()
        return [
            server.url("/hundred.txt", .tls), server.authority.certificate, server.authority.server.pin,
            server.url("/hundred.txt", .tlsSelfSigned),
        ]
    }

    /// How many requests each path has received.
    private final class Counts: Sendable {
        private let counts = Mutex<[String: Int]>([:])

        func next(_ path: String) -> Int {
            counts.withLock { counts in
                counts[path, default: 0] += 1
                return counts[path, default: 0]
            }
        }
    }
}

extension ServerResponse {
    /// A response with JSON.
    static func json(_ value: JSONValue, status: Int = 200, fields: [ServerResponse.Field] = []) -> ServerResponse {
        ServerResponse(
            status: status, fields: [("Content-Type", "application/json")] + fields,
            body: JSONWriter.write(value) as [UInt8])
    }
}
