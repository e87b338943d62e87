import PlugboardCacheOptions
import PlugboardKit
import Testing

@testable import PlugboardCache

/// RFC 9111 §5.2.1, §5.2.2, §5.4 and RFC 8246: directives of requests and responses.
struct DirectiveRows {
    @Test(arguments: requests) func `request directives limit what is served`(row: Row) { row.run() }
    @Test(arguments: responses) func `response directives limit how a response is used`(row: Row) { row.run() }
    @Test(arguments: shared) func `a shared cache stores less`(row: Row) { row.run() }

    private static func asking(_ words: String, _ expects: Visit.Expectation = .notCached) -> Visit {
        Visit(request: ["Cache-Control": words], expects: expects)
    }

    private static let fresh = stored(["Cache-Control": "max-age=3600"])
    private static let tagged = stored(["Cache-Control": "max-age=3600", "ETag": "\"a\""])
    private static let dated = stored(["Cache-Control": "max-age=3600", "Last-Modified": "@-30000"])

    static let requests = [
        Row("§5.2.1.1 max-age=0", stored(["Cache-Control": "max-age=3600"], pause: 0), asking("max-age=0")),
        Row("§5.2.1.1 max-age below the age", fresh, asking("max-age=1")),
        Row("§5.2.1.1 max-age above the age", fresh, asking("max-age=10", .cached)),
        Row(
            "§5.2.1.1 max-age below Age", stored(["Cache-Control": "max-age=3600", "Age": "1800"]),
            asking("max-age=600")),
        Row("§5.2.1.1 a malformed max-age is 0", fresh, asking("max-age=x")),
        Row("§5.2.1.1 max-age=0 validates by ETag", tagged, asking("max-age=0", .tagValidated)),
        Row(
            "§5.2.1.2 max-stale above the staleness serves it", stored(["Cache-Control": "max-age=1"]),
            asking("max-stale=1000", .cached)),
        Row(
            "§5.2.1.2 max-stale without a number serves it", stored(["Cache-Control": "max-age=1"]),
            asking("max-stale", .cached)),
        Row(
            "§5.2.1.2 max-stale below the staleness does not", stored(["Cache-Control": "max-age=1"], pause: 30),
            asking("max-stale=10")),
        Row("§5.2.1.2 a malformed max-stale is ignored", stored(["Cache-Control": "max-age=1"]), asking("max-stale=x")),
        Row(
            "§5.2.1.2 max-stale counts from Age", stored(["Cache-Control": "max-age=1500", "Age": "2000"]),
            asking("max-stale=1000", .cached)),
        Row(
            "§5.2.1.2 must-revalidate takes precedence over max-stale",
            stored(["Cache-Control": "max-age=1, must-revalidate"]), asking("max-stale=1000")),
        Row(
            "§5.2.1.2 max-stale serves a response without freshness", stored(["ETag": "\"a\""]),
            asking("max-stale", .cached)),
        Row(
            "§5.2.1.3 min-fresh above the remaining freshness", stored(["Cache-Control": "max-age=1500"]),
            asking("min-fresh=2000")),
        Row(
            "§5.2.1.3 min-fresh below the remaining freshness", stored(["Cache-Control": "max-age=1500"]),
            asking("min-fresh=1000", .cached)),
        Row(
            "§5.2.1.3 min-fresh counts Age", stored(["Cache-Control": "max-age=1500", "Age": "1000"]),
            asking("min-fresh=1000")),
        Row("§5.2.1.4 no-cache", fresh, asking("no-cache")),
        Row("§5.2.1.4 no-cache validates by ETag", tagged, asking("no-cache", .tagValidated)),
        Row("§5.2.1.4 no-cache validates by Last-Modified", dated, asking("no-cache", .dateValidated)),
        Row("§5.2.1.4 no-cache in any case", fresh, asking("No-CaChE")),
        Row("§5.2.1.5 no-store uses nothing", fresh, asking("no-store")),
        Row(
            "§5.2.1.5 no-store stores nothing",
            Visit(
                request: ["Cache-Control": "no-store"], response: ["Cache-Control": "max-age=3600"], expects: .notCached
            ),
            fetched),
        Row("§5.2.1.5 no-store keeps a stored response", fresh, asking("no-store"), again),
        Row(
            "§5.2.1.7 only-if-cached without a response",
            Visit(request: ["Cache-Control": "only-if-cached"], expects: .cached, givesStatus: 504)),
        Row("§5.2.1.7 only-if-cached with a response", fresh, asking("only-if-cached", .cached)),
        Row(
            "§5.2.1.7 only-if-cached with a stale response", stored(["Cache-Control": "max-age=1", "ETag": "\"a\""]),
            Visit(request: ["Cache-Control": "only-if-cached"], expects: .cached, givesStatus: 504)),
        Row(
            "§5.2.1.7 only-if-cached with max-stale", stored(["Cache-Control": "max-age=1"]),
            Visit(request: ["Cache-Control": "only-if-cached, max-stale"], expects: .cached, givesStatus: 200)),
        Row(
            "§5.2.1.7 only-if-cached revalidates nothing",
            stored(["Cache-Control": "max-age=1, stale-while-revalidate=60"]),
            Visit(request: ["Cache-Control": "only-if-cached"], expects: .cached, givesStatus: 200, revalidations: 0)),
        Row(
            "§5.2.1.7 only-if-cached of any method",
            Visit(method: .post, request: ["Cache-Control": "only-if-cached"], expects: .cached, givesStatus: 504)),
        Row("§5.2.3 unknown directives are ignored", fresh, asking("foo, bar=1, max-stale-x=1", .cached)),
        Row("§5.4 Pragma: no-cache", fresh, Visit(request: ["Pragma": "no-cache"], expects: .notCached)),
        Row("§5.4 an unknown Pragma", fresh, Visit(request: ["Pragma": "foo"], expects: .cached)),
        Row(
            "§5.4 Pragma beside Cache-Control", fresh,
            Visit(request: ["Pragma": "no-cache", "Cache-Control": "foo"], expects: .cached)),
        Row(
            "RFC 8246 §2: an immutable response satisfies max-age=0",
            stored(["Cache-Control": "max-age=3600, immutable"]),
            asking("max-age=0", .cached)),
        Row(
            "RFC 8246 §2: an immutable response does not satisfy no-cache",
            stored(["Cache-Control": "max-age=3600, immutable"]), asking("no-cache")),
        Row(
            "RFC 8246 §2: a reload does not validate an immutable response",
            stored(["Cache-Control": "max-age=3600, immutable"]),
            Visit(mode: .noCache, expects: .cached)),
        Row(
            "RFC 8246 §2: a reload validates a stale immutable response",
            stored(["Cache-Control": "max-age=1, immutable", "ETag": "\"a\""]),
            Visit(mode: .noCache, expects: .tagValidated)),
        Row(
            "RFC 8246 §2: a reload validates an immutable response with no-cache",
            stored(["Cache-Control": "max-age=3600, immutable, no-cache", "ETag": "\"a\""]),
            Visit(mode: .noCache, expects: .tagValidated)),
        Row(
            "RFC 8246 §2: a stale immutable response does not satisfy max-age=0",
            stored(["Cache-Control": "max-age=1, immutable"]), asking("max-age=0")),
    ]

    static let responses = [
        Row("§5.2.2.2 must-revalidate while fresh", stored(["Cache-Control": "max-age=3600, must-revalidate"]), again),
        Row(
            "§5.2.2.2 must-revalidate when stale",
            stored(["Cache-Control": "max-age=2, must-revalidate", "ETag": "\"a\""]), Visit(expects: .tagValidated)),
        Row("§5.2.2.5 no-store", stored(["Cache-Control": "no-store"]), fetched),
        Row("§5.2.2.5 no-store in any case", stored(["Cache-Control": "No-StOrE"]), fetched),
        Row(
            "§5.2.2.5 no-store with explicit freshness",
            stored(["Cache-Control": "max-age=3600, no-store", "Expires": "@3600"]), fetched),
        Row("§5.2.2.5 no-store with an argument", stored(["Cache-Control": "no-store=1, max-age=3600"]), fetched),
        Row(
            "§5.2.2.5 no-store in a separate line",
            stored(["Cache-Control": "max-age=3600", "Cache-Control": "no-store"]),
            fetched),
        Row(
            "§5.2.2.5 a newer no-store replaces the older response", stored(["Cache-Control": "max-age=3600"]),
            Visit(request: ["Cache-Control": "no-cache"], response: ["Cache-Control": "no-store"], expects: .notCached),
            fetched),
        Row("§5.2.2.4 no-cache", stored(["Cache-Control": "no-cache"]), fetched),
        Row("§5.2.2.4 no-cache in any case", stored(["Cache-Control": "No-CaChE, max-age=3600"]), fetched),
        Row(
            "§5.2.2.4 no-cache with a malformed argument",
            stored(["Cache-Control": "no-cache=Set-Cookie, max-age=3600"]), fetched),
        Row(
            "§5.2.2.4 no-cache is validated", stored(["Cache-Control": "no-cache", "ETag": "\"a\""]),
            Visit(expects: .tagValidated, givesBody: "body 1")),
        Row(
            "§5.2.2.4 no-cache is validated even with freshness",
            stored(["Cache-Control": "max-age=3600, no-cache", "ETag": "\"a\""]),
            Visit(expects: .tagValidated, givesBody: "body 1")),
        Row(
            "§5.2.2.4 fields named by no-cache are not served",
            stored([
                "Cache-Control": "no-cache=\"a, B\"", "Cache-Control": "max-age=3600", "A": "1", "b": "2", "C": "3",
            ]),
            Visit(expects: .cached, gives: ["C": "3"], lacks: ["A", "B"])),
        Row(
            "§5.2.2.4 one field named by no-cache is not served",
            stored(["Cache-Control": "no-cache=\"a\", max-age=3600", "A": "1", "C": "3"]),
            Visit(expects: .cached, gives: ["C": "3"], lacks: ["A"])),
        Row(
            "§5.2.2.4 fields named by no-cache are served after validation",
            stored(["Cache-Control": "no-cache=\"a\", max-age=2", "A": "1", "ETag": "\"a\""]),
            Visit(expects: .tagValidated, gives: ["A": "1"])),
        Row("§5.2.2.7 private", stored(["Cache-Control": "private, max-age=3600"]), again),
        Row("§5.2.2.7 private with fields", stored(["Cache-Control": "private=\"a\", max-age=3600", "A": "1"]), again),
        Row("§5.2.2.7 private alone gives no freshness", stored(["Cache-Control": "private"]), fetched),
        Row("§5.2.2.9 public alone gives no freshness", stored(["Cache-Control": "public"]), fetched),
        Row(
            "RFC 9213 a private cache ignores CDN-Cache-Control", stored(["CDN-Cache-Control": "max-age=3600"]), fetched
        ),
        Row(
            "§3.5 a private cache stores a response to Authorization",
            Visit(request: ["Authorization": "x"], response: ["Cache-Control": "max-age=3600"], expects: .notCached),
            Visit(request: ["Authorization": "x"], expects: .cached)),
    ]

    private static let many = CachePolicy(isShared: true)
    private static func authorized(_ words: String) -> Visit {
        Visit(request: ["Authorization": "x"], response: ["Cache-Control": words], expects: .notCached)
    }

    static let shared = [
        Row("§5.2.2.7 private", policy: many, stored(["Cache-Control": "private, max-age=3600"]), fetched),
        Row(
            "§5.2.2.7 private fields", policy: many,
            stored(["Cache-Control": "private=\"a, b\", max-age=3600", "A": "1", "C": "3"]),
            Visit(expects: .cached, gives: ["C": "3"], lacks: ["A"])),
        Row("§3.5 Authorization", policy: many, authorized("max-age=3600"), fetched),
        Row("§3.5 public", policy: many, authorized("max-age=3600, public"), again),
        Row("§3.5 must-revalidate", policy: many, authorized("max-age=3600, must-revalidate"), again),
        Row("§3.5 s-maxage", policy: many, authorized("s-maxage=3600"), again),
        Row(
            "§5.2.2.8 proxy-revalidate", policy: many, stored(["Cache-Control": "max-age=1, proxy-revalidate"]),
            Visit(request: ["Cache-Control": "max-stale"], expects: .notCached)),
        Row("RFC 9213 max-age", policy: many, stored(["CDN-Cache-Control": "max-age=3600"]), again),
        Row(
            "RFC 9213 CDN-Cache-Control takes precedence over Cache-Control", policy: many,
            stored(["CDN-Cache-Control": "max-age=3600", "Cache-Control": "no-store"]), again),
        Row(
            "RFC 9213 CDN-Cache-Control takes precedence over Expires", policy: many,
            stored(["CDN-Cache-Control": "max-age=0", "Expires": "@3600"]), fetched),
        Row(
            "RFC 9213 no-store", policy: many,
            stored(["CDN-Cache-Control": "no-store", "Cache-Control": "max-age=3600"]), fetched),
        Row(
            "RFC 9213 a malformed field is ignored", policy: many,
            stored(["CDN-Cache-Control": "max-age=", "Cache-Control": "max-age=3600"]), again),
        Row(
            "RFC 9213 an empty field is ignored", policy: many,
            stored(["CDN-Cache-Control": "", "Cache-Control": "max-age=3600"]), again),
        Row(
            "RFC 9213 a directive of a wrong type is ignored", policy: many,
            stored(["CDN-Cache-Control": "max-age=\"3600\", foo", "Cache-Control": "max-age=3600"]), fetched),
        Row(
            "RFC 9213 several lines are joined", policy: many,
            stored(["CDN-Cache-Control": "public", "CDN-Cache-Control": "max-age=3600"]), again),
    ]
}
