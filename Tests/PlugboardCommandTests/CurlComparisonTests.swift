import TestSupport
import Testing

/// The verbs and curl side by side, with the same options and the same server.
@Suite(.enabled(if: CurlTrace.curl != nil, "skipped: this machine has no curl"))
struct CurlComparisonTests {
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
        ("get", ["-N", "-S", "-#"]), ("get", ["--no-progress-meter"]),
        ("get", ["-G", "-d", "a=1", "--data-urlencode", "b=x y&z"]), ("get", ["--url-query", "q=x y", "-s"]),
        ("get", ["-X", "DELETE"]), ("get", ["-XOPTIONS"]), ("get", ["--request", "PURGE"]),
        ("post", ["-d", "a=1"]), ("post", ["-d", "a=1", "--data-raw", "@b", "-d", "c=3"]),
        ("post", ["--data-urlencode", "text=1 + 1 = 2", "--data-urlencode", "=&?"]),
        ("post", ["--data-ascii", "x=y"]), ("post", ["--data-raw", "-"]), ("post", ["--json", #"{"a":1}"#]),
        ("post", ["-d", "{}", "-H", "Content-Type: application/json", "-s"]), ("post", ["-d", "a=1", "-L"]),
        ("post", ["-F", "a=1", "-F", "b=two"]), ("put", ["-d", "x"]), ("patch", ["-d", "x", "-f"]), ("delete", []),
        ("delete", ["-d", "why"]), ("head", []),
    ]

    private static let situations = ["ok", "redirect", "missing", "busy"]

    @Test func `the server sees the same requests, and the user the same output and status`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, (verb, options)) in CurlComparisonTests.cases.enumerated() {
                if index >= CurlComparisonTests.width { try await group.next() }
                let situation = CurlComparisonTests.situations[index % CurlComparisonTests.situations.count]
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
    ) async throws -> CurlTrace {
        let quoted = options.map { "'\($0)'" }.joined(separator: " ")
        guard isCurl else { return try await .of("\"$plugboard\" \(verb)", "\(quoted) \"$url\"", at: situation) }
        let posts = verb == "post" && options.contains { $0 == "-d" || $0 == "-F" || $0.hasPrefix("--data") }
        let decides = posts || options.contains { $0.hasPrefix("-X") || $0 == "--request" }
        var words = CurlTrace.curl ?? ""
        if verb == "head" { words += " -I" }
        if let method = CurlComparisonTests.methods[verb], !decides { words += " -X \(method)" }
        return try await .of(words, "\(quoted) \"$url\"", at: situation)
    }
}

/// Command lines of curl, run by curl and by `plugboard curl`.
@Suite(.enabled(if: CurlTrace.curl != nil, "skipped: this machine has no curl"))
struct CurlCommandComparisonTests {
    /// How many lines are compared at a time.
    private static let width = 4
    /// The share of use, in percent, that is the same at least.
    private static let share = 95

    @Test func `nearly all that curl's users write does the same`() async throws {
        let lines =
            CurlCommandComparisonTests.everyday + CurlCommandComparisonTests.usual
            + CurlCommandComparisonTests.rare
        let runs = lines.flatMap { line in line.situations.map { (line: line, situation: $0) } }
        var (same, all) = (0, 0)
        var reports: [String] = []

        try await withThrowingTaskGroup(of: (Int, String?).self) { group in
            func take(_ result: (weight: Int, report: String?)?) {
                guard let result else { return }
                all += result.weight
                if let report = result.report { reports.append(report) } else { same += result.weight }
            }
            for (index, run) in runs.enumerated() {
                if index >= CurlCommandComparisonTests.width { take(try await group.next()) }
                group.addTask { (run.line.weight, try await difference(run.line.text, at: run.situation)) }
            }
            while let result = try await group.next() { take(result) }
        }

        if !reports.isEmpty { print("Different from curl:\n\(reports.sorted().joined(separator: "\n"))") }
        #expect(same * 100 >= all * CurlCommandComparisonTests.share, "\(same) of \(all) is the same")
    }

    /// Nil where both do the same.
    private func difference(_ line: String, at situation: String) async throws -> String? {
        let ours = try await CurlTrace.of("\"$plugboard\" curl", line, at: situation)
        let theirs = try await CurlTrace.of(CurlTrace.curl ?? "", line, at: situation)
        return ours == theirs ? nil : "[\(situation)] \(line)\n  ours:   \(ours)\n  theirs: \(theirs)"
    }
}
