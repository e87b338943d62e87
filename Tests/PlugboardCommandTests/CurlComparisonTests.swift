import TestSupport
import Testing

/// The verbs and curl side by side, with the same options and the same server.
@Suite(.enabled(if: CurlTrace.curl != nil, "skipped: this machine has no curl"))
struct CurlComparisonTests {
    /// The verb, the options that both get, and the situation of the server.
    private static let cases: [(verb: String, options: [String], situation: String)] = [
        ("get", ["-sSfL", "--max-redirs", "5"], "redirect"), ("get", ["-L", "--max-redirs", "1"], "redirect"),
        ("get", ["--fail", "--location"], "missing"), ("get", ["-f", "--show-error", "--silent"], "busy"),
        ("get", ["--fail-with-body", "-s"], "busy"), ("get", ["-sooutput"], "ok"), ("get", ["-sLO"], "redirect"),
        ("get", ["-O", "--output-dir", "new/deep", "--create-dirs"], "missing"), ("get", ["-I"], "ok"),
        ("get", ["--head", "-L"], "redirect"), ("get", ["-iL"], "redirect"), ("get", ["-fsi"], "missing"),
        ("get", ["-sLD-", "-o", "body.txt"], "redirect"), ("get", ["-D", "head.txt", "-XOPTIONS"], "ok"),
        (
            "get",
            [
                "-AAgent/2", "-e", "http://other.test/", "-H", "X-A: 1", "-H", "X-B;", "-b", "a=1; b=2", "--user",
                "me:a:b", "--basic", "-m", "30", "--connect-timeout", "5", "--http1.1", "-4", "-N", "-S", "-#",
            ], "ok"
        ),
        (
            "get",
            ["--oauth2-bearer", "token", "-r", "0-99", "--no-progress-meter", "--url-query", "q=x y", "-X", "DELETE"],
            "ok"
        ),
        (
            "get",
            [
                "-L", "-w",
                "%{http_code} %{num_redirects} %{url_effective} %{content_type}\\t%% %{size_download} %{http_version} "
                    + "%{method} %{num_headers} %{redirect_url} %header{X-Kind} %{exitcode}\\n",
            ], "redirect"
        ),
        ("get", ["-s", "-o", "/dev/null", "-w", "%{response_code} %{redirect_url}"], "redirect"),
        ("get", ["-G", "-d", "a=1", "--data-urlencode", "b=x y&z"], "ok"),
        (
            "post",
            [
                "-d", "a=1", "--data-raw", "@b", "-d", "c=3", "--data-ascii", "x=y", "--data-raw", "-",
                "--data-urlencode", "text=1 + 1 = 2", "--data-urlencode", "=&?",
            ], "ok"
        ),
        ("post", ["-d", "a=1", "--data-binary", "b", "--data-raw", "@c"], "ok"),
        ("post", ["--json", #"{"a":1}"#], "ok"),
        ("post", ["-d", "{}", "-H", "Content-Type: application/json"], "ok"),
        ("post", ["-d", "a=1", "-L"], "redirect"),
        ("post", ["-F", "a=1", "-F", "b=two"], "ok"), ("put", ["-d", "x"], "missing"),
        ("patch", ["-d", "x", "-f"], "busy"), ("delete", ["-d", "why"], "ok"), ("delete", [], "missing"),
        ("head", [], "redirect"),
    ]

    @Test func `the server sees the same requests, and the user the same output and status`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, (verb, options, situation)) in CurlComparisonTests.cases.enumerated() {
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
    ) async throws -> CurlTrace {
        let quoted = options.map { "'\($0)'" }.joined(separator: " ")
        let line = "\(quoted) \"$root/\(situation)/page.html\""
        guard isCurl else { return try await .of("\"$plugboard\" \(verb)", line) }
        let posts = verb == "post" && options.contains { $0 == "-d" || $0 == "-F" || $0.hasPrefix("--data") }
        let decides = posts || options.contains { $0.hasPrefix("-X") || $0 == "--request" }
        var words = CurlTrace.curl ?? ""
        if verb == "head" { words += " -I" }
        if let method = CurlComparisonTests.methods[verb], !decides { words += " -X \(method)" }
        return try await .of(words, line)
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
        let runs = lines.flatMap { line in line.situations.map { Run(line: line, situation: $0) } }
        var (same, all) = (0, 0)
        var reports: [String] = []

        try await withThrowingTaskGroup(of: [Result].self) { group in
            func take(_ results: [Result]?) {
                for result in results ?? [] {
                    all += result.weight
                    if let report = result.report { reports.append(report) } else { same += result.weight }
                }
            }
            for (index, runs) in Run.joined(runs).enumerated() {
                if index >= CurlCommandComparisonTests.width { take(try await group.next()) }
                group.addTask { try await results(of: runs) }
            }
            while let results = try await group.next() { take(results) }
        }

        if !reports.isEmpty { print("Different from curl:\n\(reports.sorted().joined(separator: "\n"))") }
        print("curl and plugboard curl do the same for \(same * 1000 / max(all, 1)) ‰ of the use (\(same) of \(all)).")
        #expect(same * 100 >= all * CurlCommandComparisonTests.share, "\(same) of \(all) is the same")
    }

    /// How much use a line stands for, and the report of a difference.
    private typealias Result = (weight: Int, report: String?)

    /// Compares several lines in one process of each program, and one by one only if there is a difference.
    private func results(of runs: [Run]) async throws -> [Result] {
        let report = try await difference(Run.line(of: runs))
        if report == nil || runs.count == 1 { return runs.map { ($0.line.weight, report) } }
        var results: [Result] = []
        for run in runs { results.append((run.line.weight, try await difference(Run.line(of: [run])))) }
        return results
    }

    /// Nil if both programs do the same.
    private func difference(_ line: String) async throws -> String? {
        let ours = try await CurlTrace.of("\"$plugboard\" curl", line)
        let theirs = try await CurlTrace.of(CurlTrace.curl ?? "", line)
        return ours == theirs ? nil : "\(line)\n  ours:   \(ours)\n  theirs: \(theirs)"
    }
}
