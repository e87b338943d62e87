import PlugboardKit

/// Random exchanges: the request, the responses, what neighbours do, and what happens from outside.
enum Fuzz {
    static func draw(_ title: String, sample: SampleResponse? = nil, _ draw: inout Draw) -> (
        plan: Plan, disturbance: Disturbance?
    ) {
        let method: Method = draw.one(of: ["GET", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
        var outcomes: [Plan.Outcome] = []
        for _ in 0...Int.random(in: 0...2, using: &draw) { outcomes.append(outcome(&draw)) }
        // Without a sample no random number is drawn, so that a seed gives the same exchanges as before.
        if let sample, draw.once(in: 3) { outcomes.append(sample.outcome) }
        var deeds: [String] = []
        var attributes = Attributes()
        for neighbour in Neighbour.all where draw.once(in: 2) {
            let deed = draw.one(of: Neighbour.Deed.allCases)
            attributes[neighbour.attribute.name] = deed.rawValue
            deeds.append("\(neighbour.id) \(deed)")
        }
        let happenings = (outcomes.map(name) + deeds).joined(separator: ", ")
        var plan = Plan("\(title): \(method) with \(happenings)")
        plan.method = method
        plan.path = draw.one(of: ["", "/a", "?q=1", "/b/../c?x", "/%E2%9C%93"])
        plan.fields = fields(&draw, from: requestFields)
        plan.attributes = attributes
        plan.outcomes = outcomes
        if draw.once(in: 3) { plan.body = body(&draw) }
        if draw.once(in: 8) { plan.reads = Int.random(in: 0...3, using: &draw) }
        return (plan, disturbance(&draw))
    }

    private static func disturbance(_ draw: inout Draw) -> Disturbance? {
        let kind: Disturbance.Kind = draw.one(of: [.watch, .watch, .cancel, .suspend])
        guard kind != .watch else { return nil }
        return Disturbance(kind, at: Int.random(in: 0...14, using: &draw), named: "some point")
    }

    private static func outcome(_ draw: inout Draw) -> Plan.Outcome {
        if draw.once(in: 6) {
            return .failure(
                draw.one(of: [.transportConnect, .transportReset, .transportDNS, .timeoutIdle, .transportProtocol]))
        }
        let usual = [
            200, 200, 200, 204, 206, 301, 302, 303, 304, 307, 308, 400, 401, 404, 407, 408, 412, 429, 500, 503,
        ]
        let status = draw.once(in: 5) ? Int.random(in: 200...999, using: &draw) : draw.one(of: usual)
        return .head(status, fields(&draw, from: responseFields), draw.once(in: 10) ? nil : body(&draw))
    }

    private static func body(_ draw: inout Draw) -> PlannedBody {
        let size = draw.one(of: sizes)
        var bytes = (draw.once(in: 3) ? gzipBodies : plainBodies)[size] ?? .empty
        if draw.once(in: 6) { bytes = bytes[0..<bytes.count / 2] }
        var body = PlannedBody(bytes).inPieces(
            of: max(draw.one(of: [1, 7, 512, 4_093, 70_000]), size / 200), draw.one(of: PlannedBody.Manner.allCases))
        body.breaks = draw.once(in: 6)
        body.isLengthKnown = draw.once(in: 2)
        if draw.once(in: 4) { body.trailers = ["x-sum": "1"] }
        return body
    }

    private static let sizes = [0, 1, 45, 1_023, 1_024, 1_025, 9_000, 70_000]
    private static let plainBodies = Dictionary(
        uniqueKeysWithValues: sizes.map { ($0, PlannedBody.counting($0).bytes) })
    private static let gzipBodies = plainBodies.mapValues { StoredGzip.file(of: $0) }

    /// Draws up to four elements of a list.
    private static func fields(_ draw: inout Draw, from known: [(String, [String])]) -> Fields {
        var fields = Fields()
        for _ in 0..<Int.random(in: 0...4, using: &draw) {
            let (name, values) = draw.one(of: known)
            fields.append(FieldName(name), draw.one(of: values))
        }
        return fields
    }

    private static func name(_ outcome: Plan.Outcome) -> String {
        switch outcome {
        case .head(let status, _, let body): "\(status)" + (body == nil ? " without a body" : "")
        case .failure(let code): "failure \(code)"
        case .silence: "silence"
        }
    }

    private static let requestFields: [(String, [String])] = [
        ("accept", ["*/*", ""]), ("accept-encoding", ["gzip", "identity;q=0", "br, zstd"]),
        ("authorization", ["Basic Og==", "Bearer x"]), ("cookie", ["a=1", ";;"]),
        ("cache-control", ["no-store", "no-cache", "only-if-cached", "max-stale=1"]),
        ("if-none-match", ["\"a\"", "*"]), ("range", ["bytes=0-9", "bytes=-1"]), ("x-empty", [""]),
        ("x-long", [String(repeating: "l", count: 5_000)]), ("content-type", ["application/json", "text/plain"]),
    ]

    private static let responseFields: [(String, [String])] = [
        ("content-encoding", ["gzip", "gzip, gzip", "br", "deflate", "zstd", "identity", "x", ""]),
        ("content-length", ["0", "45", "x", "-1"]),
        ("content-type", ["text/html; charset=utf-8", "application/json", ";"]),
        ("location", ["?next", "/", "http://check.example/0", "https://other.example/", "::", ""]),
        ("retry-after", ["0", "1", "-1", "9999999999", "Tue, 14 Nov 2023 22:13:21 GMT"]),
        ("set-cookie", ["a=1", "b=2; Max-Age=0", "c=3; Domain=.example", "=;", "d=4; Path=/; Secure; HttpOnly"]),
        (
            "cache-control",
            ["max-age=60", "no-store", "private", "max-age=0, must-revalidate", "stale-while-revalidate=60"]
        ),
        ("etag", ["\"a\"", "W/\"b\"", "c"]), ("last-modified", ["Tue, 14 Nov 2023 22:13:20 GMT", "yesterday"]),
        ("vary", ["*", "accept", "accept-encoding, cookie"]), ("age", ["0", "1000", "x"]),
        ("www-authenticate", ["Basic realm=x", "Bearer", "Digest nonce=1, realm=x", ","]), ("trailer", ["x-sum"]),
        ("content-range", ["bytes 0-9/45", "bytes */45"]),
    ]
}
