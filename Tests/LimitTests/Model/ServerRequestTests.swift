import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardLimit

struct ServerRequestTests {
    private let now = Duration.seconds(1_700_000_000)

    private func asked(_ status: Int, _ fields: Fields) -> ServerRequest? {
        ServerRequest.read(status, fields, wallClock: now, limit: .seconds(3600))
    }

    private func pause(_ status: Int, _ fields: Fields) -> Duration? {
        if case .pause(let time) = asked(status, fields) { time } else { nil }
    }

    @Test(arguments: nastyShapes.indices)
    func `fields of any shape are read in linear time`(shape: Int) {
        let (kind, make) = nastyShapes[shape]
        let names: [FieldName] = [
            "RateLimit", "RateLimit-Policy", "RateLimit-Remaining", "X-RateLimit-Remaining", "X-RateLimit-Reset",
            "Date",
        ]
        for name in names {
            expectLinearTime("\(name.text) \(kind)", size: 4000) { size in
                var fields: Fields = ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "30"]
                fields[name] = make(size)
                return fields
            } read: { fields in
                _ = asked(200, fields)
            }
        }
    }

    @Test func `no time is longer than the limit`() {
        #expect(pause(429, ["Retry-After": "99999"]) == .seconds(3600))
        #expect(asked(200, ["RateLimit": #""a";r=5;t=99999"#]) == .quota(left: 5, .seconds(3600)))
    }

    @Test func `dates are compared with the date of the response`() {
        let fields: Fields = [
            "Date": "Tue, 14 Nov 2023 20:00:00 GMT", "Retry-After": "Tue, 14 Nov 2023 20:00:30 GMT",
        ]

        #expect(pause(429, fields) == .seconds(30))
    }

    @Test func `the longest pause counts`() {
        #expect(pause(429, ["Retry-After": "0", "RateLimit": #""a";r=0;t=30"#]) == .seconds(30))
        #expect(pause(429, ["Retry-After": "20", "RateLimit": #""a";r=0;t=5"#]) == .seconds(20))
    }

    @Test(
        arguments: [
            (["RateLimit": #""a";r=50;t=60, "b";r=5;t=30"#], 5), (["RateLimit": "limit=100, remaining=6, reset=30"], 6),
            (["RateLimit-Remaining": "7", "RateLimit-Reset": "30"], 7),
            (["X-RateLimit-Remaining": "8", "X-RateLimit-Reset": "30"], 8),
        ] as [(Fields, Int)])
    func `a quota that is not used up is known with its time`(fields: Fields, left: Int) {
        #expect(asked(200, fields) == .quota(left: left, .seconds(30)))
    }

    @Test func `Retry-After counts for 429 and 503 only`() {
        #expect(pause(429, ["Retry-After": "20"]) == .seconds(20))
        #expect(pause(503, ["Retry-After": "20"]) == .seconds(20))
        #expect(pause(301, ["Retry-After": "20"]) == nil)
    }

    @Test(
        arguments: [
            (["RateLimit": #""default";r=0;t=30"#], 30), (["RateLimit": "limit=100, remaining=0, reset=31"], 31),
            (["RateLimit-Remaining": "0", "RateLimit-Reset": "32"], 32),
            (["RateLimit": #""day";r=0"#, "RateLimit-Policy": #""day";q=100;w=33"#], 33),
        ] as [(Fields, Int)])
    func `a quota that is used up is a pause, whatever the status`(fields: Fields, seconds: Int) {
        #expect(pause(200, fields) == .seconds(seconds))
    }

    @Test(arguments: [
        ("0", "30", Duration.seconds(30)), ("0", "1.5", .seconds(2)), ("0.0", "30.0", .seconds(30)),
        ("0", "1700000012", .seconds(12)), ("0", "1700000012000", .seconds(12)), ("0", "1699999999", nil),
        ("0", "0", nil), ("1", "30", nil), ("-1", "30", nil), ("", "30", nil), ("0", "", nil), ("0", "soon", nil),
        ("0", "9999999999999999", nil), ("0", "1e3", nil), ("0", "30.x", nil),
    ])
    func `X-RateLimit-Reset is a delay or a time`(remaining: String, reset: String, expected: Duration?) {
        #expect(pause(200, ["X-RateLimit-Remaining": remaining, "X-RateLimit-Reset": reset]) == expected)
    }
}
