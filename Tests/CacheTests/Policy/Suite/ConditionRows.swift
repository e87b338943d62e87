import PlugboardCacheOptions
import PlugboardKit
import Testing

@testable import PlugboardCache

/// RFC 9111 §4.3.1 and §4.3.2, RFC 9110 §13: conditions of the cache and of the caller.
struct ConditionRows {
    @Test(arguments: tags) func `entity tags are compared and forwarded`(row: Row) { row.run() }
    @Test(arguments: dates) func `dates are compared and forwarded`(row: Row) { row.run() }
    @Test(arguments: validation) func `stale responses are validated`(row: Row) { row.run() }

    private static func tagged(_ tag: String) -> Visit { stored(["Cache-Control": "max-age=3600", "ETag": tag]) }
    private static func stale(_ tag: String) -> Visit { stored(["Cache-Control": "max-age=1", "ETag": tag]) }
    private static func having(_ tags: String, _ status: Int) -> Visit {
        Visit(request: ["If-None-Match": tags], expects: .cached, givesStatus: status)
    }

    static let tags = [
        Row(
            "RFC 9110 §13.1.2: without a response If-None-Match is forwarded",
            Visit(request: ["If-None-Match": "\"a\""], expects: .notCached, asks: ["If-None-Match": "\"a\""])),
        Row(
            "RFC 9110 §13.1.2: without a response a 304 passes",
            Visit(request: ["If-None-Match": "\"a\""], status: 304, expects: .notCached, givesStatus: 304)),
        Row("§4.3.2 strong and strong", tagged("\"abcdef\""), having("\"abcdef\"", 304)),
        Row("§4.3.2 weak and weak", tagged("W/\"abcdef\""), having("W/\"abcdef\"", 304)),
        Row("§4.3.2 weak and strong", tagged("W/\"abcdef\""), having("\"abcdef\"", 304)),
        Row("§4.3.2 strong and weak", tagged("\"abcdef\""), having("W/\"abcdef\"", 304)),
        Row("§4.3.2 tags are case-sensitive", tagged("\"abcdef\""), having("\"ABCDEF\"", 200)),
        Row("§4.3.2 a list, first", tagged("\"a\""), having("\"a\", \"b\"", 304)),
        Row("§4.3.2 a list, second", tagged("\"a\""), having("\"b\",\"a\"", 304)),
        Row("§4.3.2 a list, last", tagged("\"a\""), having("\"b\", \"c\" , \"a\"", 304)),
        Row(
            "§4.3.2 a list in two lines", tagged("\"a\""),
            Visit(request: ["If-None-Match": "\"b\"", "If-None-Match": "\"a\""], expects: .cached, givesStatus: 304)),
        Row("§4.3.2 tags may contain commas", tagged("\"a,b\""), having("\"x\", \"a,b\"", 304)),
        Row("§4.3.2 tags may contain backslashes", tagged("\"a\\\""), having("\"a\\\", \"b\"", 304)),
        Row("§4.3.2 * matches a tag", tagged("\"a\""), having("*", 304)),
        Row("§4.3.2 * matches a response without a tag", stored(["Cache-Control": "max-age=3600"]), having("*", 304)),
        Row("§4.3.2 an unquoted tag matches an unquoted one", tagged("abcdef"), having("abcdef", 304)),
        Row("§4.3.2 an unquoted tag does not match a quoted one", tagged("\"abcdef\""), having("abcdef", 200)),
        Row("§4.3.2 w/ does not mark a weak tag", tagged("w/\"a\""), having("\"a\"", 200)),
        Row(
            "RFC 9110 §13.2.2: If-None-Match takes precedence over If-Modified-Since",
            stored(["Cache-Control": "max-age=3600", "ETag": "\"a\"", "Last-Modified": "@-5000"]),
            Visit(
                request: ["If-None-Match": "\"b\"", "If-Modified-Since": "@0"], expects: .cached, givesStatus: 200),
            Visit(
                request: ["If-None-Match": "\"a\"", "If-Modified-Since": "@-9000"], expects: .cached, givesStatus: 304)),
        Row(
            "RFC 9110 §15.4.5: the fields of a 304",
            stored([
                "Cache-Control": "max-age=3600", "ETag": "\"a\"", "Vary": "Foo", "Expires": "@9",
                "Content-Location": "/b",
                "Content-Type": "text/plain", "Content-Length": "6", "Content-Encoding": "gzip", "Last-Modified": "@-9",
            ]),
            Visit(
                request: ["If-None-Match": "\"a\""], expects: .cached, givesStatus: 304, givesBody: "",
                gives: [
                    "Cache-Control": "max-age=3600", "ETag": "\"a\"", "Vary": "Foo", "Content-Location": "/b",
                    "Age": "3",
                ],
                lacks: ["Content-Type", "Content-Length", "Content-Encoding", "Last-Modified"])),
        Row(
            "§4.3.2 HEAD with a matching tag", tagged("\"a\""),
            Visit(method: .head, request: ["If-None-Match": "\"a\""], expects: .cached, givesStatus: 304)),
        Row(
            "RFC 9110 §13.2.1: conditions count for successful responses only",
            stored(["Cache-Control": "max-age=60", "ETag": "\"a\""], status: 404),
            having("\"a\"", 404)),
        Row(
            "§4.3.2 an equal tag of the caller is sent once", stale("\"a\""),
            Visit(
                request: ["If-None-Match": "\"a\""], expects: .tagValidated, givesStatus: 304,
                asks: ["If-None-Match": "\"a\""])),
        Row(
            "§4.3.2 the caller's tags are joined with the cache's own", stale("\"a\""),
            Visit(
                request: ["If-None-Match": "\"b\", \"c\""], status: 304,
                response: ["ETag": "\"a\"", "Cache-Control": "max-age=9"],
                givesStatus: 200, givesBody: "body 1", asks: ["If-None-Match": "\"b\", \"c\", \"a\""]),
            Visit(expects: .cached, givesBody: "body 1")),
        Row(
            "§4.3.2 a 304 with the caller's tag passes", stale("\"a\""),
            Visit(
                request: ["If-None-Match": "\"b\""], status: 304, response: ["ETag": "\"b\""], expects: .notCached,
                givesStatus: 304)),
        Row(
            "§4.3.2 * is forwarded unchanged", stale("\"a\""),
            Visit(request: ["If-None-Match": "*"], status: 304, expects: .notCached, asks: ["If-None-Match": "*"])),
        Row(
            "§4.3.2 If-Match is forwarded", tagged("\"a\""),
            Visit(request: ["If-Match": "\"b\""], status: 412, expects: .notCached, givesStatus: 412), again),
        Row(
            "§4.3.2 If-Unmodified-Since is forwarded", tagged("\"a\""),
            Visit(request: ["If-Unmodified-Since": "@-5000"], status: 412, expects: .notCached, givesStatus: 412)),
    ]

    private static func since(_ date: String, _ status: Int) -> Visit {
        Visit(request: ["If-Modified-Since": date], expects: .cached, givesStatus: status)
    }

    static let dates = [
        Row(
            "§4.3.2 a date equal to Last-Modified",
            stored(["Cache-Control": "max-age=3600", "Last-Modified": "@-3000"], pause: 0),
            since("@-3000", 304)),
        Row(
            "§4.3.2 a date after Last-Modified",
            stored(["Cache-Control": "max-age=3600", "Last-Modified": "@-3000"], pause: 0),
            since("@-2000", 304)),
        Row(
            "§4.3.2 a date before Last-Modified",
            stored(["Cache-Control": "max-age=3600", "Last-Modified": "@-3000"], pause: 0),
            since("@-4000", 200)),
        Row(
            "§4.3.2 without Last-Modified, Date counts",
            stored(["Cache-Control": "max-age=3600", "Date": "@0"], pause: 0),
            since("@0", 304)),
        Row(
            "§4.3.2 a date before Date", stored(["Cache-Control": "max-age=3600", "Date": "@0"], pause: 0),
            since("@-9", 200)),
        Row(
            "§4.3.2 without both, the arrival counts", stored(["Cache-Control": "max-age=3600"], pause: 0),
            since("@9", 304)),
        Row("RFC 9110 §13.1.3: an invalid date is ignored", stored(["Cache-Control": "max-age=3600"]), since("x", 200)),
        Row(
            "RFC 9110 §5.6.7: a date in the format of RFC 850",
            stored(["Cache-Control": "max-age=3600", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]),
            since("Sunday, 06-Nov-94 08:49:37 GMT", 304)),
        Row(
            "§4.3.2 stale, with an equal date of the caller",
            stored(["Cache-Control": "max-age=1", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]),
            Visit(
                request: ["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"], expects: .dateValidated,
                givesStatus: 304)),
        Row(
            "§4.3.2 stale, with an older date of the caller",
            stored(["Cache-Control": "max-age=1", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]),
            Visit(
                request: ["If-Modified-Since": "Sat, 05 Nov 1994 08:49:37 GMT"], expects: .dateValidated,
                givesStatus: 200,
                givesBody: "body 1", asks: ["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"])),
        Row(
            "§4.3.2 stale, validated by its tag only", stored(["Cache-Control": "max-age=1", "ETag": "\"a\""]),
            Visit(
                request: ["If-Modified-Since": "Sat, 05 Nov 1994 08:49:37 GMT"], expects: .tagValidated,
                givesStatus: 200,
                givesBody: "body 1")),
        Row(
            "without a response If-Modified-Since is forwarded",
            Visit(
                request: ["If-Modified-Since": "Sat, 05 Nov 1994 08:49:37 GMT"], status: 304, expects: .notCached,
                givesStatus: 304, asks: ["If-Modified-Since": "Sat, 05 Nov 1994 08:49:37 GMT"])),
    ]

    static let validation = [
        Row(
            "§4.3.1 a stale response is validated by ETag", stale("\"a\""),
            Visit(expects: .tagValidated, givesStatus: 200, givesBody: "body 1")),
        Row(
            "§4.3.1 a stale response is validated by a weak tag", stale("W/\"a\""),
            Visit(expects: .tagValidated, asks: ["If-None-Match": "W/\"a\""])),
        Row(
            "§4.3.1 a stale response is validated by an unquoted tag", stale("abc"),
            Visit(expects: .tagValidated, asks: ["If-None-Match": "abc"])),
        Row(
            "§4.3.1 a stale response is validated by Last-Modified",
            stored(["Cache-Control": "max-age=1", "Last-Modified": "@-3000"]),
            Visit(expects: .dateValidated, givesStatus: 200, givesBody: "body 1")),
        Row(
            "§4.3.1 a stale response is validated by both",
            stored(["Cache-Control": "max-age=1", "ETag": "\"a\"", "Last-Modified": "@-3000"]),
            Visit(expects: .dateValidated, asks: ["If-None-Match": "\"a\""])),
        Row(
            "§4.3.3 a new response replaces it", stale("\"a\""),
            Visit(response: ["Cache-Control": "max-age=60"], expects: .notCached, pause: 1),
            Visit(expects: .cached, givesBody: "body 2")),
        Row(
            "§4.3.4 a 304 makes it fresh again", stale("\"a\""),
            Visit(response: ["Cache-Control": "max-age=3600", "ETag": "\"a\""], expects: .tagValidated, pause: 30),
            Visit(expects: .cached, givesBody: "body 1", gives: ["Age": "30"])),
        Row(
            "§4.3.4 a 304 removes an old Age", stored(["Cache-Control": "max-age=10", "ETag": "\"a\"", "Age": "100"]),
            Visit(response: ["ETag": "\"a\""], expects: .tagValidated, lacks: ["Age"], pause: 2),
            Visit(expects: .cached, gives: ["Age": "2"])),
        Row(
            "§4.3.4 after a 304 with an unknown tag the request is sent again",
            stored(["Cache-Control": "max-age=1", "ETag": "\"a\"", "Last-Modified": "@-9"]),
            Visit(status: 304, response: ["ETag": "\"b\""], givesStatus: 304)),
        Row(
            "§4.3.4 a 304 with an unknown tag updates nothing", stale("\"a\""),
            Visit(status: 304, response: ["ETag": "\"b\"", "Cache-Control": "max-age=9"], givesStatus: 304)),
        Row(
            "§4.3.4 a 304 with no-store removes the response", stale("\"a\""),
            Visit(
                response: ["ETag": "\"a\"", "Cache-Control": "no-store"], expects: .tagValidated, givesBody: "body 1"),
            fetched),
        Row(
            "§4.3.4 a 304 without a tag", stale("\"a\""),
            Visit(status: 304, response: ["Cache-Control": "max-age=9"], givesStatus: 200, givesBody: "body 1")),
        Row(
            "§4.3.4 a 304 with another Last-Modified only",
            stored(["Cache-Control": "max-age=1", "Last-Modified": "@-3000"]),
            Visit(status: 304, response: ["Last-Modified": "@-1"], givesStatus: 200, givesBody: "body 1")),
    ]
}
