import PlugboardCacheOptions
import PlugboardKit
import Testing

@testable import PlugboardCache

/// RFC 9111 §4.2.4 and RFC 5861: stale responses.
struct StaleRows {
    @Test(arguments: unreachable) func `an unreachable server allows stale responses`(row: Row) { row.run() }
    @Test(arguments: failing) func `a failing server allows stale responses`(row: Row) { row.run() }
    @Test(arguments: revalidating) func `stale responses are revalidated in the background`(row: Row) { row.run() }

    private static let down = Visit(isDown: true, givesStatus: 0)
    private static func down(_ status: Int, stale: Bool = false) -> Visit {
        Visit(isDown: true, givesStatus: status, givesStale: stale)
    }
    private static let many = CachePolicy(isShared: true)
    private static let strict = CachePolicy(staleWhileUnreachable: nil)

    static let unreachable = [
        Row("§4.2.4 a stale response is served", stored(["Cache-Control": "max-age=2"]), down(200, stale: true)),
        Row(
            "§4.2.4 a response that is too stale is not", stored(["Cache-Control": "max-age=2"], pause: 8 * 86_400),
            down),
        Row("§4.2.4 a strict policy serves none", policy: strict, stored(["Cache-Control": "max-age=2"]), down),
        Row(
            "§4.2.4 a stale response has its age", stored(["Cache-Control": "max-age=2"], pause: 30),
            Visit(isDown: true, gives: ["Age": "30"])),
        Row("without a stored response the failure passes", Visit(isDown: true, givesStatus: 0)),
        Row("§5.2.2.2 must-revalidate", stored(["Cache-Control": "max-age=2, must-revalidate"]), down(504)),
        Row("§5.2.2.2 must-revalidate in any case", stored(["Cache-Control": "max-age=2, Must-Revalidate"]), down(504)),
        Row(
            "§5.2.2.4 no-cache", stored(["Cache-Control": "max-age=60, no-cache, stale-if-error=60", "ETag": "\"a\""]),
            down(504)),
        Row("§5.2.2.4 no-cache without a validator", stored(["Cache-Control": "max-age=2, no-cache"]), down(504)),
        Row(
            "§5.2.2.8 proxy-revalidate is not for a private cache",
            stored(["Cache-Control": "max-age=2, proxy-revalidate"]), down(200, stale: true)),
        Row(
            "§5.2.2.8 proxy-revalidate", policy: many, stored(["Cache-Control": "max-age=2, proxy-revalidate"]),
            down(504)),
        Row(
            "§5.2.2.10 s-maxage is not for a private cache", stored(["Cache-Control": "max-age=2, s-maxage=2"]),
            down(200, stale: true)),
        Row("§5.2.2.10 s-maxage", policy: many, stored(["Cache-Control": "s-maxage=2"]), down(504)),
        Row(
            "RFC 5861 §4: stale-if-error", policy: strict, stored(["Cache-Control": "max-age=2, stale-if-error=60"]),
            down(200, stale: true)),
        Row(
            "RFC 5861 §4: too stale", policy: strict,
            stored(["Cache-Control": "max-age=2, stale-if-error=60"], pause: 70), down),
        Row(
            "RFC 5861 §4: must-revalidate takes precedence",
            stored(["Cache-Control": "max-age=2, stale-if-error=60, must-revalidate"]), down(504)),
        Row(
            "RFC 5861 §4: stale-if-error of the caller", policy: strict, stored(["Cache-Control": "max-age=2"]),
            Visit(request: ["Cache-Control": "stale-if-error=60"], isDown: true, givesStatus: 200, givesStale: true)),
        Row(
            "§5.2.1.4 no-cache of the caller allows no stale response", stored(["Cache-Control": "max-age=60"]),
            Visit(request: ["Cache-Control": "no-cache"], isDown: true, givesStatus: 0)),
        Row(
            "§5.2.1.1 max-age of the caller allows no stale response", stored(["Cache-Control": "max-age=60"]),
            Visit(request: ["Cache-Control": "max-age=1"], isDown: true, givesStatus: 0)),
        Row(
            "the caller's own condition gives a 304", stored(["Cache-Control": "max-age=2", "ETag": "\"a\""]),
            Visit(request: ["If-None-Match": "\"a\""], isDown: true, givesStatus: 304)),
        Row(
            "HEAD is served stale", stored(["Cache-Control": "max-age=2"]),
            Visit(method: .head, isDown: true, givesStatus: 200, givesBody: "", givesStale: true)),
        Row(
            "the next request goes to the server again", stored(["Cache-Control": "max-age=2"]), down(200, stale: true),
            fetched),
    ]

    private static func failing(_ status: Int, gives: Int, stale: Bool) -> Visit {
        Visit(status: status, givesStatus: gives, givesStale: stale)
    }

    static let failing = [
        Row(
            "§4.2.4 an error response passes", stored(["Cache-Control": "max-age=2"]),
            failing(503, gives: 503, stale: false)),
        Row(
            "RFC 5861 §4: 500", stored(["Cache-Control": "max-age=2, stale-if-error=60"]),
            failing(500, gives: 200, stale: true)),
        Row(
            "RFC 5861 §4: 502", stored(["Cache-Control": "max-age=2, stale-if-error=60"]),
            failing(502, gives: 200, stale: true)),
        Row(
            "RFC 5861 §4: 503", stored(["Cache-Control": "max-age=2, stale-if-error=60"]),
            failing(503, gives: 200, stale: true)),
        Row(
            "RFC 5861 §4: 504", stored(["Cache-Control": "max-age=2, stale-if-error=60"]),
            failing(504, gives: 200, stale: true)),
        Row(
            "RFC 5861 §4: not 501", stored(["Cache-Control": "max-age=2, stale-if-error=60"]),
            failing(501, gives: 501, stale: false)),
        Row(
            "RFC 5861 §4: not 404", stored(["Cache-Control": "max-age=2, stale-if-error=60"]),
            failing(404, gives: 404, stale: false)),
        Row(
            "RFC 5861 §4: too stale", stored(["Cache-Control": "max-age=2, stale-if-error=60"], pause: 70),
            failing(503, gives: 503, stale: false)),
        Row(
            "must-revalidate", stored(["Cache-Control": "max-age=2, stale-if-error=60, must-revalidate"]),
            failing(503, gives: 503, stale: false)),
        Row(
            "stale-if-error of the caller", stored(["Cache-Control": "max-age=2"]),
            Visit(request: ["Cache-Control": "stale-if-error=60"], status: 503, givesStatus: 200, givesStale: true)),
        Row(
            "a replaced error is not stored", stored(["Cache-Control": "max-age=2, stale-if-error=60"]),
            Visit(status: 503, response: ["Cache-Control": "max-age=60"], givesStatus: 200),
            Visit(status: 503, givesStatus: 200)),
        Row(
            "a cacheable error that passes is stored", stored(["Cache-Control": "max-age=2"]),
            Visit(status: 503, response: ["Cache-Control": "max-age=60"], givesStatus: 503),
            Visit(expects: .cached, givesStatus: 503)),
    ]

    static let revalidating = [
        Row(
            "RFC 5861 §3", stored(["Cache-Control": "max-age=1, stale-while-revalidate=3600", "ETag": "\"a\""]),
            Visit(
                response: ["ETag": "\"a\"", "Cache-Control": "max-age=60"], expects: .cached, givesBody: "body 1",
                revalidations: 1, givesStale: true)),
        Row(
            "RFC 5861 §3: the next one is fresh", stored(["Cache-Control": "max-age=1, stale-while-revalidate=3600"]),
            Visit(response: ["Cache-Control": "max-age=60"], expects: .cached, givesBody: "body 1", revalidations: 1),
            Visit(expects: .cached, givesBody: "body 2", givesStale: false)),
        Row(
            "RFC 5861 §3: after the window the server is asked",
            stored(["Cache-Control": "max-age=1, stale-while-revalidate=3"], pause: 5), fetched),
        Row(
            "RFC 5861 §3: a part is not revalidated in the background",
            Visit(
                request: ["Range": "bytes=0-4"], status: 206,
                response: [
                    "Cache-Control": "max-age=1, stale-while-revalidate=60", "ETag": "\"a\"",
                    "Content-Range": "bytes 0-4/10",
                ], body: "01234", pause: 3),
            Visit(
                request: ["Range": "bytes=0-4"], response: ["ETag": "\"a\"", "Cache-Control": "max-age=60"],
                expects: .tagValidated, givesStatus: 206, givesBody: "01234")),
        Row(
            "RFC 5861 §3: a fresh response is not revalidated",
            stored(["Cache-Control": "max-age=60, stale-while-revalidate=3600"]), again),
        Row(
            "RFC 5861 §3: a malformed window is ignored",
            stored(["Cache-Control": "max-age=1, stale-while-revalidate=x"]),
            fetched),
        Row(
            "must-revalidate", stored(["Cache-Control": "max-age=1, stale-while-revalidate=60, must-revalidate"]),
            fetched),
        Row("no-cache", stored(["Cache-Control": "max-age=1, stale-while-revalidate=60, no-cache"]), fetched),
        Row(
            "max-age of the caller prevents it", stored(["Cache-Control": "max-age=1, stale-while-revalidate=60"]),
            Visit(request: ["Cache-Control": "max-age=1"], expects: .notCached)),
        Row(
            "min-fresh of the caller prevents it", stored(["Cache-Control": "max-age=1, stale-while-revalidate=60"]),
            Visit(request: ["Cache-Control": "min-fresh=1"], expects: .notCached)),
    ]

    @Test func `RFC 5861 §3 a background request has no conditions of the caller`() {
        var cache = PolicyCache()
        let fields: Fields = ["Cache-Control": "max-age=1, stale-while-revalidate=60", "ETag": "\"a\""]
        _ = cache.send(.get()) { _ in .init(fields: fields, body: "0123456789") }
        cache.now += .seconds(3)

        let result = cache.send(.get(["Range": "bytes=0-1", "If-None-Match": "\"b\"", "A": "1"])) { _ in
            .init(status: 304)
        }

        #expect(result.status == 206 && result.body == "01")
        #expect(
            result.revalidations.map { $0.map { "\($0.name): \($0.value)" } } == [["A: 1", "If-None-Match: \"a\""]])
    }

    @Test func `a failure that is not the network's passes`() {
        let policy = CachePolicy()
        let response = StoredResponse(
            key: RequestFacts.get().key, url: "", status: 200, fields: ["Cache-Control": "max-age=1, must-revalidate"],
            requested: .zero, received: .zero)
        let forward = Forward(.get(), .stale, selected: CacheEntry(id: 1, response: response, length: 0))

        let decision = policy.decision(afterFailureOf: forward, isUnreachable: false, now: .seconds(9))

        guard case .pass = decision else { return #expect(Bool(false), "\(decision)") }
    }
}
