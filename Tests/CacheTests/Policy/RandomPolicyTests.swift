import PlugboardCacheOptions
import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCache

/// For random bytes, times and responses the policy decides, and never gives a negative age.
struct RandomPolicyTests {
    @Test(arguments: 0..<40) func `random fields do not trap the policy`(seed: UInt64) {
        var chance = Chance(seed: seed)
        var cache = PolicyCache(policy: CachePolicy(isShared: chance.below(3) == 0, variantLimit: chance.below(4)))

        for _ in 0..<60 {
            let request = chance.request()
            let result = cache.send(request) { _ in
                chance.below(6) == 0
                    ? nil
                    : PolicyCache.Reply(
                        status: chance.status(), fields: chance.fields(Chance.responses),
                        body: String(repeating: "x", count: chance.below(12)), delay: chance.below(3))
            }
            if result.freshness == .fresh || result.freshness == .stale {
                #expect(result.fields[.age].flatMap(Int.init).map { $0 >= 0 } == true)
            }
            #expect(result.asked.count <= 2)
            cache.now = chance.moment(near: cache.now)
        }

        for entry in cache.entries.values.joined() {
            #expect(entry.response.fields.contains(.date) && !entry.response.fields.contains(.connection))
        }
    }

    @Test(arguments: 0..<40) func `random times give no negative or overflowing age or lifetime`(seed: UInt64) {
        var chance = Chance(seed: seed)

        for _ in 0..<200 {
            let response = StoredResponse(
                key: CacheKey(text: ""), url: "", status: chance.status(), fields: chance.fields(Chance.responses),
                requested: chance.time(), received: chance.time(),
                timeToLive: chance.below(4) == 0 ? chance.time() : nil)
            let policy = CachePolicy(
                heuristicPercent: chance.below(300) - 100, heuristicLimit: .seconds(chance.below(100)))
            let freshness = policy.freshness(of: response, now: chance.time())
            let facts = policy.facts(of: response)

            #expect(freshness.age >= .zero && freshness.staleness >= .zero && freshness.ageInSeconds >= 0)
            #expect(policy.lifetime(facts, received: response.received.bounded) >= .zero)
            #expect(freshness.isFresh == (freshness.remaining > .zero))
        }
    }

    @Test(arguments: 0..<20) func `parsed values are within their limits`(seed: UInt64) {
        var chance = Chance(seed: seed)

        for _ in 0..<500 {
            let value = chance.value()
            value.withUnsafeBytes { bytes in
                if let range = ByteRange(bytes) {
                    let part = range.bytes(of: 10)
                    #expect(part.lowerBound >= 0 && part.upperBound <= 10)
                }
                if let seconds = bytes.deltaSeconds { #expect((0...deltaSecondsLimit).contains(seconds)) }
                _ = EntityTag(bytes)
                _ = Preference(bytes).description
            }
        }
    }
}

/// Pseudorandom messages, determined by the seed.
private struct Chance {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func next() -> UInt64 { random.next() }
    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
    mutating func one<Element>(of list: [Element]) -> Element { list[below(list.count)] }

    static let responses = [
        "Cache-Control", "Cache-Control", "Expires", "Date", "Age", "ETag", "Last-Modified", "Vary", "Content-Range",
        "Content-Length", "Connection", "CDN-Cache-Control", "Content-Language", "Location", "Content-Location", "Foo",
    ]
    static let requests = [
        "Cache-Control", "Pragma", "Range", "If-None-Match", "If-Modified-Since", "If-Range", "If-Match",
        "Accept-Language",
        "Authorization", "Foo",
    ]
    private static let pieces = [
        "max-age=", "no-cache", "no-store", "stale-while-revalidate=9", "stale-if-error=9", "must-understand",
        "private=\"",
        "immutable", "public", "=", ",", ";", "\"", "\\", "\"a\"", "W/", "*", " ", "\t", "9", "2147483648", "-1", "1.5",
        "bytes=", "bytes ", "-", "/", "0-4", "5-9/10", "18446744073709551616", "Sun, 06 Nov 1994 08:49:37 GMT", "Foo",
        "en",
        "q=", "no-cache=\"Foo", "Accept-Language", "max-stale", "min-fresh=", "only-if-cached", "/a",
        "https://example.com/a",
    ]

    /// Valid parts of values, and random bytes.
    mutating func value() -> [UInt8] {
        var value: [UInt8] = []
        for _ in 0..<below(6) {
            if below(4) == 0 {
                value.append(UInt8(truncatingIfNeeded: next()))
            } else {
                value += one(of: Self.pieces).utf8
            }
        }
        return value
    }

    mutating func fields(_ names: [String]) -> Fields {
        var fields = Fields()
        for _ in 0..<below(7) {
            var name = one(of: names)
            let value = below(3) == 0 ? Array("max-age=\(below(9))".utf8) : value()
            name.withUTF8 { name in
                value.withUnsafeBytes { fields.append(UnsafeRawBufferPointer(name), $0) }
            }
        }
        return fields
    }

    mutating func request() -> RequestFacts {
        RequestFacts(
            method: one(of: [.get, .get, .get, .head, .post, "FOO", .options]), key: CacheKey(text: "\(below(2))"),
            url: "https://example.com/\(one(of: ["a", "b"]))", fields: below(2) == 0 ? [:] : fields(Self.requests),
            mode: one(of: [.default, .default, .noStore, .noCache, .reload, .forceCache, .onlyIfCached]),
            own: .init(
                timeToLive: below(5) == 0 ? time() : nil, overrides: below(2) == 0, version: below(9) == 0 ? "1" : ""),
            body: one(of: [.none, .none, .inKey, .notInKey]))
    }

    mutating func status() -> Int {
        one(of: [100, 200, 200, 200, 204, 206, 206, 301, 304, 304, 404, 416, 500, 503, 599, -1, .max])
    }

    mutating func moment(near now: Duration) -> Duration { now + .seconds(below(20) - 4) }

    mutating func time() -> Duration {
        one(of: [
            .zero, .seconds(1_700_000_000), .seconds(Int64(truncatingIfNeeded: next())), .seconds(Int64.max),
            .seconds(Int64.min),
            .seconds(-below(9)), .nanoseconds(below(1_000_000)), .seconds(below(9)),
        ])
    }
}
