import PlugboardCacheOptions
import PlugboardKit
import Testing

@testable import PlugboardCache

/// Fetch's cache modes, and the program's own freshness.
struct ModeRows {
    @Test(arguments: modes) func `the request's mode decides how stored responses are used`(row: Row) { row.run() }
    @Test(arguments: own) func `the program's times to live and versions count beside the server's`(row: Row) {
        row.run()
    }

    private static let fresh = stored(["Cache-Control": "max-age=60", "ETag": "\"a\""])
    private static let stale = stored(["Cache-Control": "max-age=1", "ETag": "\"a\""])

    static let modes = [
        Row(
            "no-store uses nothing", fresh,
            Visit(mode: .noStore, expects: .notCached, asks: ["Pragma": "no-cache", "Cache-Control": "no-cache"]), again
        ),
        Row(
            "no-store stores nothing",
            Visit(mode: .noStore, response: ["Cache-Control": "max-age=60"], expects: .notCached), fetched),
        Row(
            "reload uses nothing", fresh,
            Visit(mode: .reload, expects: .notCached, asks: ["Pragma": "no-cache", "Cache-Control": "no-cache"])),
        Row(
            "reload stores", fresh,
            Visit(mode: .reload, response: ["Cache-Control": "max-age=60"], expects: .notCached),
            Visit(expects: .cached, givesBody: "body 2")),
        Row(
            "the caller's own Cache-Control stays", fresh,
            Visit(request: ["Cache-Control": "foo"], mode: .reload, expects: .notCached, asks: ["Cache-Control": "foo"])
        ),
        Row(
            "no-cache validates", fresh,
            Visit(
                mode: .noCache, response: ["ETag": "\"a\"", "Cache-Control": "max-age=60"], expects: .tagValidated,
                asks: ["Cache-Control": "max-age=0"]), again),
        Row(
            "no-cache without a response",
            Visit(mode: .noCache, response: ["Cache-Control": "max-age=60"], expects: .notCached), again),
        Row(
            "force-cache serves a stale response", stale,
            Visit(mode: .forceCache, expects: .cached, givesBody: "body 1", givesStale: true)),
        Row(
            "force-cache takes precedence over no-cache of the server",
            stored(["Cache-Control": "no-cache", "ETag": "\"a\""]),
            Visit(mode: .forceCache, expects: .cached)),
        Row(
            "force-cache without a response forwards",
            Visit(mode: .forceCache, response: ["Cache-Control": "max-age=60"], expects: .notCached), again),
        Row(
            "force-cache validates an invalidated response", fresh, Visit(method: .post, expects: .notCached),
            Visit(mode: .forceCache, expects: .tagValidated)),
        Row(
            "only-if-cached serves a stale response", stale,
            Visit(mode: .onlyIfCached, expects: .cached, givesStatus: 200, givesStale: true)),
        Row(
            "only-if-cached without a response is a 504",
            Visit(mode: .onlyIfCached, expects: .cached, givesStatus: 504, givesBody: "")),
        Row(
            "only-if-cached with another variant",
            Visit(request: ["Foo": "1"], response: ["Vary": "Foo", "Cache-Control": "max-age=60"]),
            Visit(request: ["Foo": "2"], mode: .onlyIfCached, expects: .cached, givesStatus: 504)),
        Row(
            "no-store of the caller takes precedence over force-cache", fresh,
            Visit(request: ["Cache-Control": "no-store"], mode: .forceCache, expects: .notCached)),
    ]

    private static func own(_ seconds: Int?, overrides: Bool = false, version: String = "") -> RequestFacts.Own {
        RequestFacts.Own(timeToLive: seconds.map { .seconds($0) }, overrides: overrides, version: version)
    }
    private static func asking(_ own: RequestFacts.Own, _ response: Fields = [:], status: Int = 200, pause: Int = 3)
        -> Visit
    {
        Visit(own: own, status: status, response: response, expects: .notCached, pause: pause)
    }

    static let own = [
        Row("the time to live counts without the server's", asking(own(60)), again),
        Row("after the time to live the response is stale", asking(own(60), pause: 61), fetched),
        Row("the time to live counts from the arrival", asking(own(60), ["Age": "500", "Date": "@-900"]), again),
        Row("max-age of the server takes precedence", asking(own(60), ["Cache-Control": "max-age=2"]), fetched),
        Row("no-cache of the server takes precedence", asking(own(60), ["Cache-Control": "no-cache"]), fetched),
        Row("no-store of the server takes precedence", asking(own(60), ["Cache-Control": "no-store"]), fetched),
        Row("the time to live takes precedence over heuristics", asking(own(2), ["Last-Modified": "@-86400"]), fetched),
        Row(
            "overriding: max-age", asking(own(60, overrides: true), ["Cache-Control": "max-age=2"]), again),
        Row("overriding: a longer max-age", asking(own(2, overrides: true), ["Cache-Control": "max-age=60"]), fetched),
        Row("overriding: no-cache", asking(own(60, overrides: true), ["Cache-Control": "no-cache"]), again),
        Row("overriding: no-store", asking(own(60, overrides: true), ["Cache-Control": "no-store"]), again),
        Row(
            "overriding: must-revalidate, until it is stale",
            asking(own(2, overrides: true), ["Cache-Control": "must-revalidate", "ETag": "\"a\""]),
            Visit(expects: .tagValidated)),
        Row("the time to live does not apply to 404", asking(own(60, overrides: true), status: 404), fetched),
        Row("the time to live does not apply to 500", asking(own(60, overrides: true), status: 500), fetched),
        Row(
            "the time to live of the current request counts", asking(own(60)), asking(own(2)),
            Visit(own: own(60), expects: .cached)),
        Row(
            "the time to live applies to a response stored without one", stored(["ETag": "\"a\""]),
            Visit(own: own(60), expects: .cached)
        ),
        Row(
            "no-cache of the caller takes precedence", asking(own(60)),
            Visit(request: ["Cache-Control": "no-cache"], own: own(60), expects: .notCached)),
        Row(
            "a 304 starts the time to live again", asking(own(2), ["ETag": "\"a\""]),
            Visit(own: own(2), response: ["ETag": "\"a\""], expects: .tagValidated, pause: 1), again),
        Row(
            "an invalidated response is not served", asking(own(60)), Visit(method: .post, expects: .notCached),
            Visit(own: own(60), expects: .notCached)),
        Row(
            "another version is not served", asking(own(60, version: "1")),
            Visit(own: own(60, version: "2"), expects: .notCached)),
        Row("a request without a version does not match", asking(own(60, version: "1")), fetched),
        Row(
            "another version is not validated",
            asking(own(nil, version: "1"), ["ETag": "\"a\"", "Cache-Control": "max-age=1"]),
            Visit(own: own(nil, version: "2"), expects: .notCached)),
        Row(
            "another version is not served stale", asking(own(1, version: "1")),
            Visit(own: own(1, version: "2"), isDown: true, givesStatus: 0)),
        Row(
            "the same version is served", asking(own(60, version: "1")),
            Visit(own: own(60, version: "1"), expects: .cached)),
        Row(
            "a new version replaces the old one", asking(own(60, version: "1")), asking(own(60, version: "2")),
            Visit(own: own(60, version: "1"), expects: .notCached)),
    ]

    @Test func `a search is stored and served by its key, and invalidates nothing`() {
        var cache = PolicyCache()
        let search = RequestFacts(
            method: .post, key: CacheKey(text: "k"), url: "https://example.com/a", fields: ["Cache-Control": "foo"],
            body: .inKey)
        _ = cache.send(.get()) { _ in .init(fields: ["Cache-Control": "max-age=60"]) }

        _ = cache.send(search) { _ in
            .init(fields: ["Cache-Control": "max-age=1, stale-if-error=9", "ETag": "\"a\""], body: "found")
        }
        let hit = cache.send(search) { _ in nil }
        cache.now += .seconds(3)
        let stale = cache.send(search) { _ in nil }

        #expect(hit.body == "found" && hit.freshness == .fresh)
        #expect(stale.asked.map { $0.map(\.name) } == [["Cache-Control"]], "RFC 9110 §13.1.2: a POST is not validated")
        #expect(cache.send(.get()) { _ in nil }.freshness == .fresh)
    }

    @Test func `a GET whose body is not in its key is forwarded`() {
        var cache = PolicyCache()
        let request = RequestFacts(
            method: .get, key: CacheKey(text: "k"), url: "https://example.com/a", fields: [:], body: .notInKey)

        _ = cache.send(request) { _ in .init(fields: ["Cache-Control": "max-age=60"]) }
        let second = cache.send(request) { _ in .init(body: "2") }

        #expect(second.body == "2" && second.cacheStatus.forwarded == .method)
    }
}
