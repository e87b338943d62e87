import PlugboardKit

/// The exchanges of the checks: cases that plugins act on.
enum Traffic {
    /// Small exchanges of each kind: common requests and responses, and failures.
    static var usual: [Plan] { responses + coded + asking + broken }

    /// Exchanges that get a sample as their response.
    static func responses(with sample: SampleResponse) -> [Plan] {
        [
            plan("GET that gets the sample", [sample.outcome]),
            plan("POST that gets the sample", [sample.outcome]) {
                $0.method = .post
                $0.body = .text
            },
        ]
    }

    /// Exchanges of a sample request, which gets the sample response if there is one, else 200.
    static func exchanges(of sample: SampleRequest, _ response: SampleResponse?) -> [Plan] {
        func request(_ name: String, _ outcomes: [Plan.Outcome]) -> Plan {
            plan("the sample request\(name)", outcomes) {
                ($0.url, $0.method, $0.fields) = (sample.url, sample.method, sample.fields)
                $0.body = sample.body.isEmpty ? nil : PlannedBody(sample.body)
            }
        }
        let usual = Plan.Outcome.head(200, ["content-type": "application/json"], PlannedBody(Bytes("{}")))
        return [
            request("", [response?.outcome ?? usual]),
            request(" that fails, then gets 200", [.failure(.transportReset), .head(200)]),
        ]
    }

    /// A body that is longer than a neighbour's hold limit, so that both paths of a hold are tried.
    private static let long = PlannedBody.counting(5_000)

    private static var responses: [Plan] {
        [
            plan("GET that gets 200", [.head(200, ["content-type": "text/plain"])]),
            plan("GET with a query that gets 200", [.head(200, [:], long)]) { $0.path = "/a?token=1&x=%20" },
            plan("GET that gets an empty body", [.head(200, ["content-length": "0"], .empty)]),
            plan("GET that gets 204", [.head(204, [:], nil)]),
            plan("HEAD that gets 200", [.head(200, ["content-length": "45"], nil)]) { $0.method = .head },
            plan("POST that gets 201", [.head(201, ["location": "/made"])]) {
                $0.method = .post
                $0.fields = ["content-type": "application/json"]
                $0.body = PlannedBody(Bytes(#"{"title": "plug"}"#))
            },
            plan("PUT of a long body that gets 200", [.head(200)]) {
                $0.method = .put
                $0.body = long.inPieces(of: 700, .late)
            },
            plan("GET that gets trailers", [.head(200, ["trailer": "x-sum"], withTrailers)]),
            plan(
                "GET of what may be stored",
                [
                    .head(
                        200,
                        [
                            "cache-control": "max-age=60", "etag": "\"a\"", "date": "Tue, 14 Nov 2023 22:13:20 GMT",
                            "vary": "accept",
                        ], long), .head(304, ["etag": "\"a\""], nil),
                ]),
        ]
    }

    private static var coded: [Plan] {
        let gzip = StoredGzip.file(of: long.bytes)
        return [
            plan("GET that gets gzip", [.head(200, ["content-encoding": "gzip"], PlannedBody(gzip))]),
            plan("GET that gets incomplete gzip", [.head(200, ["content-encoding": "gzip"], cut(gzip))]),
        ]
            + ["gzip", "deflate", "br", "zstd", "unheard-of"].map { coding in
                plan("GET that gets a body that is not \(coding)", [.head(200, ["content-encoding": coding], long)])
            }
    }

    private static var asking: [Plan] {
        [
            plan("GET redirected", [.head(302, ["location": "?next"]), .head(200)]),
            plan("POST redirected with its body", [.head(307, ["location": "?next"]), .head(200)]) {
                $0.method = .post
                $0.body = .text
            },
            plan("GET redirected to nowhere", [.head(301, ["location": "http://[::/"])]),
            plan("GET redirected without end", [.head(301, ["location": "?again"])]),
            plan("GET that gets 503, then 200", [.head(503, ["retry-after": "1"]), .head(200)]),
            plan("GET that gets 429 and a date", [.head(429, ["retry-after": "Tue, 14 Nov 2023 22:13:25 GMT"])]),
            plan("GET that gets 401 Basic", [.head(401, ["www-authenticate": #"Basic realm="check""#])]),
            plan("GET that gets 401 Bearer", [.head(401, ["www-authenticate": "Bearer error=invalid_token"])]),
            plan("GET that gets 401 Digest", [.head(401, ["www-authenticate": digest]), .head(200)]),
            plan("GET that gets 407", [.head(407, ["proxy-authenticate": "Basic"])]),
            plan(
                "GET that gets cookies",
                [.head(200, ["set-cookie": "a=1; Path=/", "set-cookie": ";;=; Max-Age=x"])]),
            plan("GET that gets an odd content type", [.head(200, ["content-type": ";;charset"])]),
        ]
    }

    private static let digest = #"Digest realm="check", nonce="7f", qop="auth", algorithm=SHA-256"#

    private static var broken: [Plan] {
        let codes: [PlugboardError.Code] = [
            .transportConnect, .transportDNS, .transportReset, .transportTLS, .timeoutConnect, .timeoutIdle,
            .timeoutAttempt,
        ]
        return codes.map { plan("GET that fails as \($0)", [.failure($0)]) } + [
            plan("GET that fails, then 200", [.failure(.transportReset), .head(200)]),
            plan("GET whose body breaks", [.head(200, [:], breaking(long))]),
            plan("GET whose body breaks at once", [.head(200, [:], breaking(.empty))]),
            plan("PUT whose own body breaks", [.head(200)]) {
                $0.method = .put
                $0.body = breaking(long)
            },
            plan("GET whose reader leaves", [.head(200, [:], long.inPieces(of: 100))]) { $0.reads = 2 },
        ]
    }

    private static var withTrailers: PlannedBody {
        var body = PlannedBody.text
        body.trailers = ["x-sum": "1"]
        return body
    }

    private static func cut(_ bytes: Bytes) -> PlannedBody { PlannedBody(bytes[0..<bytes.count / 2]) }

    static func breaking(_ body: PlannedBody) -> PlannedBody {
        var body = body
        body.breaks = true
        return body
    }

    static func plan(_ name: String, _ outcomes: [Plan.Outcome], _ change: (inout Plan) -> Void = { _ in }) -> Plan {
        var plan = Plan(name)
        plan.outcomes = outcomes
        change(&plan)
        return plan
    }
}
