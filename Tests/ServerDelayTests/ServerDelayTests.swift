import PlugboardMessages
import PlugboardServerDelay
import Testing

struct ServerDelayTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT
    private let now = Duration.seconds(784_111_777)

    @Test(arguments: [
        ("0", Duration.zero), ("120", .seconds(120)), (" 120\t", .seconds(120)), ("007", .seconds(7)),
        ("3155760000", .seconds(3_155_760_000)), ("18446744073709551616", ServerDelay.limit),
        (String(repeating: "9", count: 10_000), ServerDelay.limit),
        ("Sun, 06 Nov 1994 08:50:37 GMT", .seconds(60)), ("Sunday, 06-Nov-94 08:50:37 GMT", .seconds(60)),
        ("Sun Nov  6 08:50:37 1994", .seconds(60)), ("Sat, 05 Nov 1994 08:49:37 GMT", .zero),
        ("Sat, 01 Jan 0000 00:00:00 GMT", .zero), ("Fri, 31 Dec 9999 23:59:59 GMT", .seconds(252_618_189_022)),
    ])
    func `Retry-After is seconds or a date`(value: String, delay: Duration) {
        #expect(ServerDelay(reading: ["Retry-After": value], wallClock: now).retryAfter == delay)
    }

    @Test(arguments: [
        "", " ", "-1", "+1", "1.5", "1e3", "0x10", "1 2", "120s", "soon", "١٢٠", "1\u{301}", "Sun, 06 Nov 1994", "NaN",
        "Sun, 31 Feb 1994 08:49:37 GMT", "\u{0}", "1,2", String(repeating: "a", count: 100_000),
    ])
    func `an invalid Retry-After is ignored`(value: String) {
        #expect(ServerDelay(reading: ["Retry-After": value], wallClock: now) == ServerDelay())
    }

    @Test func `a wrong clock gives long or zero delays, and does not overflow`() {
        let fields: Fields = ["Retry-After": "Sun, 06 Nov 1994 08:50:37 GMT"]

        let delays = [
            Duration.zero, .seconds(-1_000_000), .seconds(Int64.max / 1_000_000_000), now + .milliseconds(500),
        ]
        .map { ServerDelay(reading: fields, wallClock: $0).retryAfter }

        #expect(
            delays == [.seconds(784_111_837), .seconds(785_111_837), .zero, .milliseconds(59_500)])
    }

    private static let quotas: [(Fields, Duration?)] = [
        // Drafts from 08 on.
        (["RateLimit": #""default";r=0;t=30"#], .seconds(30)),
        (["RateLimit": #""default";r=10;t=30"#], nil),
        (["RateLimit": #""short";r=0;t=5, "long";r=0;t=60, "other";r=7;t=600"#], .seconds(60)),
        (["RateLimit": #""short";r=0;t=5"#, "RateLimit": #""long";r=0;t=60"#], .seconds(60)),
        (
            ["RateLimit": #""day";r=0"#, "RateLimit-Policy": #""hour";q=9;w=3600, "day";q=100;w=86400"#],
            .seconds(86_400)
        ),
        (["RateLimit": #""day";r=0"#, "RateLimit-Policy": #""hour";q=9;w=3600"#], nil),
        (["RateLimit": #""day";r=0"#], nil), (["RateLimit": #""day";t=9"#], nil),
        (["RateLimit": #""x";r=0;t=999999999999999"#], ServerDelay.limit),
        // Draft 07.
        (["RateLimit": "limit=100, remaining=0, reset=30"], .seconds(30)),
        (["RateLimit": "limit=100, remaining=1, reset=30"], nil), (["RateLimit": "limit=100, reset=30"], nil),
        // Drafts up to 06.
        (["RateLimit-Remaining": "0", "RateLimit-Reset": "30"], .seconds(30)),
        (["RateLimit-Remaining": "5", "RateLimit-Reset": "30"], nil), (["RateLimit-Reset": "30"], nil),
        (["RateLimit-Remaining": "0"], nil), (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "30"], nil),
        // Several generations.
        (
            ["RateLimit": #""default";r=10;t=30"#, "RateLimit-Remaining": "0", "RateLimit-Reset": "20"], .seconds(20)
        ),
        (
            ["RateLimit": "limit=9, remaining=1, reset=30", "RateLimit-Remaining": "0", "RateLimit-Reset": "20"],
            .seconds(20)
        ),
        (
            ["RateLimit": #""default";r=0;t=10"#, "RateLimit-Remaining": "0", "RateLimit-Reset": "20"], .seconds(10)
        ),
    ]

    @Test(arguments: quotas)
    func `a used-up quota gives its delay`(fields: Fields, delay: Duration?) {
        #expect(ServerDelay(reading: fields, wallClock: now).rateLimit == delay)
    }

    @Test func `the quota is that of the newest generation, whatever is used up in an older one`() {
        let fields: Fields = [
            "RateLimit": #""default";r=10;t=30"#, "RateLimit-Remaining": "0", "RateLimit-Reset": "20",
        ]

        let quota = ServerDelay(reading: fields, wallClock: now).quota

        #expect(quota?.left == 10 && quota?.time == .seconds(30))
    }

    @Test(arguments: [
        "", ",", #""default""#, #""default";r=0;t=-5"#, #""default";r=-1;t=5"#, #""default";r=0;t=1.5"#,
        #""default";r=0;t="5""#, #""default";r=0;t=9999999999999999999"#, #""unfinished;r=0;t=5"#, "(", "()", "(((",
        "(1 2);r=0;t=5", "remaining=0, reset=(1)", "remaining=(0), reset=1", "=", "a=;", ";;;", "\u{0}", "é",
        #""default";r=0;t=5;"#, #""a";r=0;t=5 "b""#, "%\"%ff\"", "@1;r", ":YQ==:;r=0", "?1;t=1",
    ])
    func `an invalid quota is ignored`(value: String) {
        for name in ["RateLimit", "RateLimit-Policy", "RateLimit-Reset", "RateLimit-Remaining"] {
            var fields = Fields()
            fields.append(FieldName(name), value)

            #expect(ServerDelay(reading: fields, wallClock: now).rateLimit == nil)
        }
    }

    @Test func `a quota of a hundred kilobytes is ignored`() {
        let parameters = (0..<20_000).map { ";a\($0)=1" }.joined()

        #expect(ServerDelay(reading: ["RateLimit": "\"x\";r=0;t=5\(parameters)"], wallClock: now).rateLimit == nil)
    }
}
