import PlugboardKit

/// Heads of requests and responses.
extension Check {
    static let heads = Check("heads", "each hook with empty and with huge heads") { subject in
        let bench = try Bench(subject)
        for plan in extremes { _ = try await bench.conclude(plan) }
        try await bench.close()
        return "\(extremes.count) exchanges"
    }

    static let statuses = Check("statuses", "each hook with all statuses from 200 to 999, and failures") {
        subject in
        let bench = try Bench(subject)
        for status in 200...999 {
            _ = try await bench.conclude(Traffic.plan("GET that gets \(status)", [.head(status)]))
        }
        let failures = [
            "connect", "dns", "reset", "tls", "protocol", "timeout.idle", "body.cut", "cancelled", "", "odd.code",
        ]
        for code in failures {
            _ = try await bench.conclude(Traffic.plan("GET that fails as '\(code)'", [.failure(.init(code))]))
        }
        try await bench.close()
        return ""
    }

    private static let extremes: [Plan] = {
        let huge = String(repeating: "h", count: 64 << 10)
        let bytes = String(String.UnicodeScalarView((0x80...0xff).map { Unicode.Scalar($0) }))
        var many = Fields()
        for number in 0..<4_000 { many.append(FieldName("x-field-\(number)"), "\(number)") }
        var same = Fields()
        for number in 0..<2_000 { same.append("x-same", "\(number)") }
        var sets: [(String, Fields)] = [
            ("no fields", [:]), ("an empty value", ["x-empty": ""]), ("a value of 64 KiB", ["x-huge": huge]),
            ("4,000 fields", many), ("2,000 fields of one name", same),
            ("bytes that are not ASCII", ["x-bytes": bytes]),
            ("a name of 1,000 bytes", [String(repeating: "n", count: 1_000): "v"]),
        ]
        sets += known.flatMap { name in
            [("", "an empty"), (huge, "a huge"), (bytes, "a garbled"), (",;=\"\\,,", "a broken")].map { value, kind in
                ("\(kind) \(name)", [name: value])
            }
        }
        var plans = sets.flatMap { kind, fields in
            [
                Traffic.plan("a request with \(kind)", [.head(200)]) { $0.fields = fields },
                Traffic.plan("a response with \(kind)", [.head(200, fields)]),
                Traffic.plan("a redirection with \(kind)", [.head(302, fields), .head(200)]),
            ]
        }
        for (kind, path) in [
            ("no path", ""), ("a path of 64 KiB", "/" + huge), ("a query of 64 KiB", "?q=" + huge),
            ("an odd query", "?&&==;%zz%00"), ("a path with dots", "/../.././a//b/%2e%2e"),
        ] {
            plans.append(Traffic.plan("a URL with \(kind)", [.head(200)]) { $0.path = path })
        }
        for method in ["GET", "HEAD", "POST", "OPTIONS", "TRACE", "x", String(repeating: "M", count: 1_000)] {
            plans.append(
                Traffic.plan("a method of \(method.utf8.count) letters", [.head(200)]) { $0.method = Method(method) })
        }
        return plans
    }()

    /// Fields that plugins often parse.
    private static let known = [
        "accept-encoding", "age", "authorization", "cache-control", "connection", "content-encoding", "content-length",
        "content-range", "content-type", "cookie", "date", "etag", "expires", "host", "if-none-match", "last-modified",
        "link", "location", "range", "retry-after", "set-cookie", "trailer", "transfer-encoding", "user-agent", "vary",
        "www-authenticate",
    ]
}
