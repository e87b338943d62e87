import Foundation
import TestSupport

/// What a client has sent, written and done in one run.
struct CurlTrace: Equatable, CustomStringConvertible {
    /// Where curl is installed; nil where it is not.
    static let curl = ["/usr/bin/curl", "/usr/local/bin/curl"].first(where: FileManager.default.isExecutableFile)

    let requests: [String]
    let stdout: String
    let status: Int32
    let files: [String: String]

    var description: String { "\(requests) → status \(status), \"\(stdout)\", files \(files)" }

    /// Runs a line of the shell, in which `$root` is the URL of a server without a path. The first part of a path
    /// selects the situation of the server.
    ///
    /// - Parameter program: The words in front of the line.
    static func of(_ program: String, _ line: String) async throws -> CurlTrace {
        let server = try LoopbackServer.responding { response(to: $0) }
        defer { server.stop() }
        let folder = try TemporaryFolder()
        for (name, text) in files { _ = try folder.write(name, text) }
        let root = server.url("")
        let outcome = try await ProcessRunner.running(
            ["/bin/sh", "-c", "cd \"$HOME\" && exec \(program) \(line)"],
            environment: [
                "HOME": folder.path, "no_proxy": "", "plugboard": try Products.executable("plugboard"), "root": root,
                "host": "127.0.0.1:\(server.port)", "port": "\(server.port)",
            ])
        func general(_ text: String) -> String { text.replacingOccurrences(of: ":\(server.port)", with: ":PORT") }
        var written: [String: String] = [:]
        for name in FileManager.default.enumerator(atPath: folder.path)?.compactMap({ $0 as? String }) ?? [] {
            guard let bytes = try? folder.read(name), !name.hasPrefix(".local") else { continue }
            written[name] = general(String(decoding: bytes, as: UTF8.self))
        }
        return CurlTrace(
            requests: server.requests.map { general(text(of: $0)) }, stdout: general(outcome.stdout),
            status: outcome.status, files: written)
    }

    /// The files of the folder in which a line runs.
    private static let files = [
        "data.txt": "line1\nline2\n", "fields.txt": "X-B: 2\n# no\nX-C: 3\n", "part.html": "con",
        "etag.txt": "\"e1\"\n",
        "opts": "header = \"X-K: 1\"\n# a comment\nsilent\n-A \"Agent K\"\n",
        ".netrc": "machine 127.0.0.1 login ada password geheim\n",
        "cookies.txt": "# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tck\tcv\n",
    ]

    /// The request without what names the client or its port.
    private static func text(of request: ReceivedRequest) -> String {
        var fields = request.fields.filter { !["host", "user-agent"].contains($0.name.lowercased()) }
        if let host = request["Host"], !host.hasPrefix("127.0.0.1") { fields.append((name: "Host", value: host)) }
        if let agent = request["User-Agent"], !agent.hasPrefix("curl/"), !agent.hasPrefix("plugboard/") {
            fields.append((name: "User-Agent", value: agent))
        }
        var lines = fields.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
        var body = request.text
        // The boundary of a form is random.
        if let type = request["Content-Type"], let boundary = type.components(separatedBy: "boundary=").last,
            type.hasPrefix("multipart/")
        {
            body = body.replacingOccurrences(of: boundary, with: "B")
            lines = lines.filter { !$0.hasPrefix("content-length") }.map {
                $0.replacingOccurrences(of: boundary, with: "B")
            }
        }
        return "\(request.method) \(request.target) \(lines) \(body)"
    }

    private static func response(to request: ReceivedRequest) -> ServerResponse {
        let fields = [("Content-Type", "text/plain"), ("X-Kind", "k")]
        switch request.path.split(separator: "/").first {
        case "redirect":
            return ServerResponse(status: 302, fields: fields + [("Location", "/second/page.html")], body: "moved")
        case "second":
            return ServerResponse(status: 301, fields: fields + [("Location", "/ok/page.html")], body: "moved again")
        case "kept": return ServerResponse(status: 307, fields: fields + [("Location", "/ok/page.html")], body: "moved")
        case "missing": return ServerResponse(status: 404, fields: fields, body: "nothing here")
        case "busy": return ServerResponse(status: 503, fields: fields, body: "later")
        case "named":
            return ServerResponse(fields: [("Content-Disposition", "attachment; filename=\"n.txt\"")], body: "content")
        case "cookie": return ServerResponse(fields: fields + [("Set-Cookie", "sid=1; Path=/")], body: "content")
        default: break
        }
        let tags = [("ETag", "\"e1\""), ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")]
        guard let start = request["Range"]?.split(whereSeparator: { "=-".contains($0) }).dropFirst().first,
            let first = Int(start), first < 7
        else { return ServerResponse(fields: fields + tags, body: "content") }
        return ServerResponse(
            status: 206, fields: fields + [("Content-Range", "bytes \(first)-6/7")],
            body: String("content".dropFirst(first)))
    }
}
