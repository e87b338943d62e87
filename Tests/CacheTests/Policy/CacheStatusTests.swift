import PlugboardKit
import Testing

@testable import PlugboardCache

/// RFC 9211: how the cache took part.
struct CacheStatusTests {
    @Test(arguments: [
        (CacheStatus(isHit: true, timeToLive: 30), "plugboard; hit; ttl=30"),
        (CacheStatus(isHit: true, timeToLive: -5), "plugboard; hit; ttl=-5"),
        (CacheStatus(forwarded: .uriMiss, isStored: true), "plugboard; fwd=uri-miss; stored"),
        (
            CacheStatus(forwarded: .stale, forwardStatus: 304, isCollapsed: true),
            "plugboard; fwd=stale; fwd-status=304; collapsed"
        ),
        (CacheStatus(detail: "only-if-cached"), "plugboard; detail=only-if-cached"),
    ])
    func `RFC 9211 §2 the field describes how the cache took part`(status: CacheStatus, text: String) {
        #expect(status.description == text)
    }

    @Test func `RFC 9211 §2.2 the reason tells why a request was forwarded`() {
        var cache = PolicyCache()
        func reason(_ facts: RequestFacts, _ fields: Fields = [:]) -> CacheStatus.ForwardReason? {
            cache.send(facts) { _ in .init(fields: fields) }.cacheStatus.forwarded
        }

        #expect(reason(.get(["Foo": "1"]), ["Vary": "Foo", "Cache-Control": "max-age=60"]) == .uriMiss)
        #expect(reason(.get(["Foo": "2"]), ["Vary": "Foo", "Cache-Control": "max-age=1"]) == .varyMiss)
        #expect(
            reason(.get(["Foo": "1", "Cache-Control": "no-cache"]), ["Vary": "Foo", "Cache-Control": "max-age=60"])
                == .request)
        #expect(reason(.get(["Foo": "1", "Range": "bytes=0-1,3-4"])) == .bypass)
        #expect(reason(.get(["Foo": "1"], mode: .noStore)) == .bypass)
        #expect(reason(.get(["Foo": "1"], mode: .reload)) == .request)
        #expect(
            reason(RequestFacts(method: .post, key: CacheKey(text: "k"), url: "https://example.com/a", fields: [:]))
                == .method)
    }

    @Test func `RFC 9211 §2.2 a stale response has the reason and the server's status`() {
        var cache = PolicyCache()
        _ = cache.send(.get()) { _ in .init(fields: ["Cache-Control": "max-age=1", "ETag": "\"a\""]) }
        cache.now += .seconds(3)

        let result = cache.send(.get()) { _ in
            .init(status: 304, fields: ["ETag": "\"a\"", "Cache-Control": "max-age=9"])
        }

        #expect(result.cacheStatus.description == "plugboard; fwd=stale; fwd-status=304; stored; ttl=9")
    }
}
