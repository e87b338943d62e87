import Testing

@testable import PlugboardCache

/// RFC 9111 §4.2.2 and §3: heuristic freshness, and which statuses are stored.
struct HeuristicRows {
    @Test(arguments: [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501])
    func `§4.2.2 these statuses are fresh for a share of the time since Last-Modified`(status: Int) {
        Row(
            "\(status)", stored(["Last-Modified": "@-86400", "Date": "@0"], status: status),
            Visit(status: status, expects: .cached, givesStatus: status)
        ).run()
    }

    @Test(arguments: [201, 202, 302, 303, 307, 400, 403, 408, 429, 500, 502, 503, 504, 599])
    func `§4.2.2 other statuses are not`(status: Int) {
        Row(
            "\(status)", stored(["Last-Modified": "@-86400", "Date": "@0"], status: status),
            Visit(status: status, expects: .notCached)
        )
        .run()
    }

    @Test(arguments: [201, 202, 403, 502, 503, 504, 599])
    func `§4.2.2 public allows heuristics for every status`(status: Int) {
        Row(
            "\(status)", stored(["Last-Modified": "@-86400", "Date": "@0", "Cache-Control": "public"], status: status),
            Visit(expects: .cached, givesStatus: status)
        ).run()
    }

    @Test(arguments: [
        200, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 502, 503, 504, 599, 999,
    ])
    func `§3 every final status is stored with explicit freshness`(status: Int) {
        Row(
            "\(status)", stored(["Cache-Control": "max-age=3600"], status: status),
            Visit(status: 555, expects: .cached, givesStatus: status)
        ).run()
        Row("\(status) stale", stored(["Cache-Control": "max-age=2"], status: status), fetched).run()
    }

    @Test(arguments: [100, 102, 103, 199, 206, 304, 401, 407, 412, 416, 417])
    func `§3 responses specific to one request are not stored`(status: Int) {
        Row("\(status)", stored(["Cache-Control": "max-age=3600"], status: status), fetched).run()
    }

    @Test(arguments: [(200, true), (404, true), (501, true), (499, false), (599, false), (299, false)])
    func `§5.2.2.3 must-understand stores understood statuses, even with no-store`(status: Int, isStored: Bool) {
        for word in ["max-age=3600, must-understand, no-store", "max-age=3600, must-understand"] {
            Row("\(status)", stored(["Cache-Control": word], status: status), isStored ? again : fetched).run()
        }
    }

    @Test(arguments: [
        (40, 3, true), (20, 3, false), (86_400, 8000, true), (86_400, 9000, false), (864_000_000, 604_000, true),
        (864_000_000, 605_000, false),
    ])
    func `§4.2.2 the share is a tenth, and a week at most`(
        unchanged: Int, age: Int, isFresh: Bool
    ) {
        Row("", stored(["Last-Modified": "@-\(unchanged)"], pause: age), isFresh ? again : fetched).run()
    }

    @Test(arguments: rows) func `heuristics count only without explicit freshness`(row: Row) { row.run() }

    static let rows = [
        Row("a Last-Modified in the future", stored(["Last-Modified": "@600"]), fetched),
        Row("a malformed Last-Modified", stored(["Last-Modified": "last week"]), fetched),
        Row(
            "zero percent gives no freshness", policy: CachePolicy(heuristicPercent: 0),
            stored(["Last-Modified": "@-86400"]), fetched),
        Row("no-cache", stored(["Last-Modified": "@-86400", "Cache-Control": "no-cache"]), fetched),
        Row(
            "Content-Disposition has no effect",
            stored(["Last-Modified": "@-86400", "Content-Disposition": "attachment"]), again),
        Row(
            "Set-Cookie has no effect", stored(["Cache-Control": "max-age=3600", "Set-Cookie": "a=b"]),
            Visit(expects: .cached, gives: ["Set-Cookie": "a=b"])),
        Row("an interim response is not stored", stored(["Cache-Control": "max-age=3600"], status: 103), fetched),
        Row(
            "Pragma in a response has no effect (§5.4)",
            stored(["Cache-Control": "max-age=3600", "Pragma": "no-cache"]), again),
        Row("Pragma has no effect on heuristics", stored(["Last-Modified": "@-86400", "Pragma": "no-cache"]), again),
    ]
}
