import Foundation
import TestSupport
import Testing

private enum Curl {
    /// Where curl is installed; nil where it is not.
    static let path = ["/usr/bin/curl", "/usr/local/bin/curl"].first(where: FileManager.default.isExecutableFile)
}

/// The verbs and curl side by side, with the same options and the same server.
@Suite(.enabled(if: Curl.path != nil, "skipped: this machine has no curl"))
struct CurlComparisonTests {
    /// What a client has sent and done.
    private struct Trace: Equatable, CustomStringConvertible {
        let requests: [String]
        let stdout: String
        let status: Int32
        let files: [String: String]

        var description: String { "\(requests) → status \(status), \"\(stdout)\", files \(files)" }
    }

    /// The verb, and the options that both get.
    private static let cases: [(verb: String, options: [String])] = [
        ("get", []), ("get", ["-L"]), ("get", ["-sSL"]), ("get", ["-sSfL"]), ("get", ["--fail", "--location"]),
        ("get", ["-f", "--show-error", "--silent"]), ("get", ["--fail-with-body", "-s"]),
        ("get", ["-L", "--max-redirs", "1"]), ("get", ["-s", "-o", "out.txt"]), ("get", ["-sooutput"]),
        ("get", ["-O"]), ("get", ["-sLO"]), ("get", ["-O", "--output-dir", "new/deep", "--create-dirs"]),
        ("get", ["-I"]), ("get", ["--head", "-L"]), ("get", ["-i"]), ("get", ["-iL"]), ("get", ["-fsi"]),
        ("get", ["-sLD-", "-o", "body.txt"]), ("get", ["-D", "head.txt"]), ("get", ["-sD-"]),
        ("get", ["-A", "Agent/1"]), ("get", ["-AAgent/2"]), ("get", ["-e", "http://other.test/"]),
        ("get", ["-H", "X-A: 1", "-H", "X-B;"]), ("get", ["-u", "me:secret"]),
        ("get", ["--user", "me:a:b", "--basic"]),
        ("get", ["--oauth2-bearer", "token"]), ("get", ["-b", "a=1; b=2"]), ("get", ["-r", "0-99"]),
        ("get", ["-m", "30"]), ("get", ["--max-time", "30", "--connect-timeout", "5"]),
        ("get", ["-w", "%{http_code}\\n"]),
        ("get", ["-s", "-o", "/dev/null", "-w", "%{response_code} %{size_download}"]),
        ("get", ["-L", "-w", "%{num_redirects} %{url_effective} %{content_type}\\t%%"]),
        ("get", ["-w", "%{http_version} %{method} %{num_headers} %{redirect_url}\\n"]),
        ("get", ["-w", "%header{X-Kind} %{exitcode}"]), ("get", ["--http1.1"]), ("get", ["-4"]),
        ("get", ["-N", "-S", "-#"]), ("get", ["--no-progress-meter"]), ("get", ["--compressed"]),
        ("get", ["-G", "-d", "a=1", "--data-urlencode", "b=x y&z"]), ("get", ["--url-query", "q=x y", "-s"]),
        ("get", ["-X", "DELETE"]), ("get", ["-XOPTIONS"]), ("get", ["--request", "PURGE"]),
        ("post", ["-d", "a=1"]), ("post", ["-d", "a=1", "--data-raw", "@b", "-d", "c=3"]),
        ("post", ["--data-urlencode", "text=1 + 1 = 2", "--data-urlencode", "=&?"]),
        ("post", ["--data-ascii", "x=y"]), ("post", ["--data-raw", "-"]), ("post", ["--json", #"{"a":1}"#]),
        ("post", ["-d", "{}", "-H", "Content-Type: application/json", "-s"]), ("post", ["-d", "a=1", "-L"]),
        ("post", ["-F", "a=1", "-F", "b=two"]), ("put", ["-d", "x"]), ("patch", ["-d", "x", "-f"]), ("delete", []),
        ("delete", ["-d", "why"]), ("head", []),
    ]

    @Test(arguments: ["ok", "redirect", "missing", "busy"])
    func `the server sees the same requests, and the user the same output and status`(situation: String) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, (verb, options)) in CurlComparisonTests.cases.enumerated() {
                if index >= CurlComparisonTests.width { try await group.next() }
                group.addTask {
                    let ours = try await trace(of: verb, options, at: situation, byCurl: false)
                    let theirs = try await trace(of: verb, options, at: situation, byCurl: true)

                    #expect(ours == theirs, "\(verb) \(options.joined(separator: " "))")
                }
            }
            try await group.waitForAll()
        }
    }

    /// How many options are compared at a time.
    private static let width = 4

    @Test(arguments: [["--retry", "2", "--retry-delay", "1"], ["--retry", "1", "-f", "--retry-max-time", "60"]])
    func `a busy server is asked again as often as curl asks it`(options: [String]) async throws {
        let ours = try await trace(of: "get", options, at: "busy", byCurl: false)
        let theirs = try await trace(of: "get", options, at: "busy", byCurl: true)

        // curl also writes the bodies of the responses that it does not accept.
        #expect(ours.requests == theirs.requests && ours.status == theirs.status)
    }

    // MARK: One run

    private static let methods = ["post": "POST", "put": "PUT", "patch": "PATCH", "delete": "DELETE"]

    private func trace(
        of verb: String, _ options: [String], at situation: String, byCurl isCurl: Bool
    ) async throws -> Trace {
        let server = try LoopbackServer.responding { CurlComparisonTests.response(to: $0) }
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let url = server.url("/\(situation)/page.html")
        var words = [try Products.executable("plugboard"), verb]
        if isCurl {
            words = [Curl.path ?? ""]
            let posts = verb == "post" && options.contains { $0 == "-d" || $0 == "-F" || $0.hasPrefix("--data") }
            let decides = posts || options.contains { $0.hasPrefix("-X") || $0 == "--request" }
            if verb == "head" { words.append("-I") }
            if let method = CurlComparisonTests.methods[verb], !decides { words += ["-X", method] }
        }
        let outcome = try await ProcessRunner.running(
            ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder.path] + words + options + [url],
            environment: ["HOME": folder.path, "no_proxy": "*"])
        let port = url.split(separator: "/")[1]
        var files: [String: String] = [:]
        for name in FileManager.default.enumerator(atPath: folder.path)?.compactMap({ $0 as? String }) ?? []
        where name.contains(".") || name == "output" {
            files[name] = String(decoding: try folder.read(name), as: UTF8.self).replacingOccurrences(
                of: port, with: "HOST")
        }
        return Trace(
            requests: server.requests.map { CurlComparisonTests.text(of: $0) },
            stdout: outcome.stdout.replacingOccurrences(of: port, with: "HOST"), status: outcome.status, files: files)
    }

    /// The request without what names the client or its port.
    private static func text(of request: ReceivedRequest) -> String {
        var fields = request.fields.filter {
            !["host", "user-agent", "accept-encoding"].contains($0.name.lowercased())
        }
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
        case "missing": return ServerResponse(status: 404, fields: fields, body: "nothing here")
        case "busy": return ServerResponse(status: 503, fields: fields, body: "later")
        default: return ServerResponse(status: 200, fields: fields, body: "content")
        }
    }
}
