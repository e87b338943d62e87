import PlugboardKit

/// Bodies in different pieces and on different threads.
extension Check {
    static let pieces = Check("pieces", "bodies are the same in pieces of 1, 7 and 4093 bytes") { subject in
        let bench = try Bench(subject)
        try await compare(
            subject, bench, [1, 7, 4093].map { size in ("pieces of \(size) bytes", { $0.inPieces(of: size) }) })
        try await bench.close()
        return ""
    }

    static let pulls = Check("pulls", "pulls are completed late, twice, and by other threads") { subject in
        let bench = try Bench(subject)
        let manners: [(String, PlannedBody.Manner)] = [
            ("pulls completed late", .late), ("pulls completed on other threads", .elsewhere),
            ("pulls completed twice", .twice),
        ]
        try await compare(subject, bench, manners.map { name, manner in (name, { $0.inPieces(of: 1_000, manner) }) })
        try await bench.close()
        return ""
    }

    static let largeBodies = Check("large-bodies", "empty bodies and bodies of 16 MiB") { subject in
        let bench = try Bench(subject)
        let large = PlannedBody.counting(16 << 20).inPieces(of: 64 << 10)
        for (name, body) in [("empty", PlannedBody.empty), ("16 MiB", large)] {
            let plan = Traffic.plan("POST of \(name) that gets \(name)", [.head(200, [:], body)]) {
                $0.method = .post
                $0.body = body
            }
            let whole = try await bench.conclude(plan)
            var inParts = plan
            inParts.outcomes = [.head(200, [:], body.inPieces(of: 1 << 20, .elsewhere))]
            inParts.body = body.inPieces(of: 1 << 20, .elsewhere)
            try expect(try await bench.conclude(inParts), whole, "a body of \(name) in other pieces", subject)
        }
        try await bench.close()
        return ""
    }

    /// Runs each exchange with its bodies in one piece and then in other ways; the conclusions must be equal.
    private static func compare(
        _ subject: Subject, _ bench: Bench, _ ways: [(name: String, change: (PlannedBody) -> PlannedBody)]
    ) async throws(CheckEnd) {
        for plan in bodies + subject.samples {
            let whole = try await bench.conclude(plan)
            for way in ways {
                var other = plan
                other.description += " in \(way.name)"
                other.body = plan.body.map(way.change)
                other.outcomes = plan.outcomes.map { outcome in
                    guard case .head(let status, let fields, let body?) = outcome else { return outcome }
                    return .head(status, fields, way.change(body))
                }
                try expect(try await bench.conclude(other), whole, other.description, subject)
            }
        }
    }

    private static func expect(
        _ other: Conclusion, _ whole: Conclusion, _ name: String, _ subject: Subject
    ) throws(CheckEnd) {
        // The number of bytes before a break may differ.
        guard other.breakage == nil || other.breakage != whole.breakage else { return }
        guard other == whole else {
            throw CheckEnd.failed("\(name) ended with \(other), but in one piece with \(whole)\(subject.clockRemark)")
        }
    }

    private static let bodies: [Plan] = {
        let whole = PlannedBody.counting(9_001).inPieces(of: .max)
        let gzip = PlannedBody(StoredGzip.file(of: whole.bytes)).inPieces(of: .max)
        var trailing = whole
        trailing.trailers = ["x-sum": "1"]
        return [
            Traffic.plan("a body", [.head(200, [:], whole)]),
            Traffic.plan("a body with trailers", [.head(200, [:], trailing)]),
            Traffic.plan("a body in gzip", [.head(200, ["content-encoding": "gzip"], gzip)]),
            Traffic.plan("a text", [.head(200, ["content-type": "text/html; charset=utf-8"], whole)]),
            Traffic.plan("a body of an error", [.head(500, [:], whole)]),
            Traffic.plan("a body that breaks", [.head(200, [:], Traffic.breaking(whole))]),
            Traffic.plan("a request's body", [.head(200)]) {
                $0.method = .put
                $0.body = whole
            },
            Traffic.plan("a request's body that is sent twice", [.head(307, ["location": "?next"]), .head(200)]) {
                $0.method = .put
                $0.body = whole
            },
        ]
    }()
}
