import Testing

@testable import PlugboardCache

/// RFC 9111 §4.2 and §5.2.2: how long a response is fresh.
struct FreshnessRows {
    @Test(arguments: rows) func `a response is served while it is fresh`(row: Row) { row.run() }

    static let rows = [
        Row("§4.2 no freshness at all", stored([:]), fetched),
        Row("§5.2.2.1 max-age", stored(["Cache-Control": "max-age=3600"]), again),
        Row("§5.2.2.1 max-age=0", stored(["Cache-Control": "max-age=0"]), fetched),
        Row("§5.2.2.1 max-age below the age", stored(["Cache-Control": "max-age=2"]), fetched),
        Row("§1.2.2 max-age of 2^31-1", stored(["Cache-Control": "max-age=2147483647"]), again),
        Row("§1.2.2 max-age of 2^31", stored(["Cache-Control": "max-age=2147483648"]), again),
        Row("§1.2.2 max-age beyond 64 bits", stored(["Cache-Control": "max-age=99999999999999999999"]), again),
        Row("§4.2.3 max-age below Age", stored(["Cache-Control": "max-age=3600", "Age": "7200"]), fetched),
        Row(
            "§4.2.3 max-age below the apparent age", stored(["Cache-Control": "max-age=3600", "Date": "@-7200"]),
            fetched),
        Row(
            "§5.3 max-age takes precedence over a past Expires",
            stored(["Cache-Control": "max-age=3600", "Expires": "@-7200"]), again),
        Row(
            "§5.3 max-age takes precedence over a malformed Expires",
            stored(["Cache-Control": "max-age=3600", "Expires": "0"]), again),
        Row(
            "§5.3 max-age=0 takes precedence over a future Expires",
            stored(["Cache-Control": "max-age=0", "Expires": "@7200"]), fetched),
        Row("§5.2.3 extensions are ignored", stored(["Cache-Control": "foobar, max-age=3600"]), again),
        Row("§5.2.2.10 a private cache ignores s-maxage", stored(["Cache-Control": "s-maxage=3600"]), fetched),
        Row(
            "§5.2.2.10 a private cache ignores a shorter s-maxage",
            stored(["Cache-Control": "s-maxage=1, max-age=3600"]), again),
        Row(
            "§5.2.2.10 a shared cache obeys s-maxage", policy: CachePolicy(isShared: true),
            stored(["Cache-Control": "max-age=0, s-maxage=3600"]), again),
        Row(
            "§5.2.2.10 a shared cache obeys a shorter s-maxage", policy: CachePolicy(isShared: true),
            stored(["Cache-Control": "s-maxage=1, max-age=3600"]), fetched),
        Row("§4.2.1 of two values the first counts", stored(["Cache-Control": "max-age=1800, max-age=1"]), again),
        Row(
            "§4.2.1 of two lines the first counts",
            stored(["Cache-Control": "max-age=1800", "Cache-Control": "max-age=1"]), again),
        Row(
            "§4.2.1 the first value counts even if it is stale", stored(["Cache-Control": "max-age=1, max-age=1800"]),
            fetched),
        Row(
            "§4.2.1 the first line counts even if it is stale",
            stored(["Cache-Control": "max-age=1", "Cache-Control": "max-age=1800"]), fetched),
        Row("§5.2 a quoted argument", stored(["Cache-Control": "max-age=\"3600\""]), again),
        Row("§4.2.1 single quotes are malformed", stored(["Cache-Control": "max-age='3600'"]), fetched),
        Row("§5.2 names in any case", stored(["Cache-Control": "MaX-aGe=3600"]), again),
        Row(
            "§5.2 quoted text before max-age is not a directive",
            stored(["Cache-Control": "ext=\"max-age=3600\", max-age=1"]), fetched),
        Row(
            "§5.2 quoted text after max-age is not a directive",
            stored(["Cache-Control": "max-age=1, ext=\"max-age=3600\""]), fetched),
        Row(
            "§5.2 quoted text may contain commas", stored(["Cache-Control": "ext=\"a, max-age=1\", max-age=3600"]),
            again),
        Row(
            "§5.2 quoted text may contain escaped quotes",
            stored(["Cache-Control": "ext=\"a\\\", no-store\", max-age=3600"]), again),
        Row(
            "§5.2 an unclosed quote does not hide directives",
            stored(["Cache-Control": "max-age=3600, ext=\"a, no-store"]), fetched),
        Row("§1.2.2 a negative number", stored(["Cache-Control": "max-age=-3600"]), fetched),
        Row("§1.2.2 a fraction", stored(["Cache-Control": "max-age=3600.5"]), fetched),
        Row("§1.2.2 a fraction below one", stored(["Cache-Control": "max-age=0.3600"]), fetched),
        Row("§1.2.2 letters before", stored(["Cache-Control": "max-age=a3600"]), fetched),
        Row("§1.2.2 letters after", stored(["Cache-Control": "max-age=3600a"]), fetched),
        Row("§1.2.2 leading zeros", stored(["Cache-Control": "max-age=003600"]), again),
        Row("§5.2 a blank before the equals sign", stored(["Cache-Control": "max-age =3600"]), fetched),
        Row("§5.2 a blank after the equals sign", stored(["Cache-Control": "max-age= 3600"]), fetched),
        Row("§5.2 max-age without an argument", stored(["Cache-Control": "max-age"]), fetched),
        Row("§5.6.1 empty members", stored(["Cache-Control": ",, , max-age=3600 ,"]), again),
        Row("§5.6.1 tabs", stored(["Cache-Control": "\tpublic\t,\tmax-age=3600\t"]), again),
        Row(
            "§4.2.1 a malformed max-age is stale, and not heuristic",
            stored(["Cache-Control": "max-age=x", "Last-Modified": "@-864000"]), fetched),

        Row("§5.3 Expires in the future", stored(["Expires": "@3600", "Date": "@0"]), again),
        Row("§5.3 Expires in the past", stored(["Expires": "@-3600", "Date": "@0"]), fetched),
        Row("§5.3 Expires now", stored(["Expires": "@0", "Date": "@0"]), fetched),
        Row("§5.3 Expires without Date", stored(["Expires": "@3600"]), again),
        Row("§5.3 Expires of 0", stored(["Expires": "0", "Date": "@0"]), fetched),
        Row("§5.3 Expires and Date both old", stored(["Expires": "@-3500", "Date": "@-3600"]), fetched),
        Row("§4.2.3 Age beyond Expires, slow Date", stored(["Expires": "@10", "Date": "@-10", "Age": "25"]), fetched),
        Row("§4.2.3 Age beyond Expires, fast Date", stored(["Expires": "@20", "Date": "@10", "Age": "15"]), fetched),
        Row(
            "§4.2.1 of two Expires the first counts", stored(["Expires": "@-9", "Expires": "@3600", "Date": "@0"]),
            fetched
        ),
        Row("§4.2 ANSI C's format", stored(["Expires": "Sat Jun  6 08:49:37 2048", "Date": "@0"]), again),
        Row(
            "§4.2 the format of RFC 850", stored(["Expires": "Saturday, 06-Jun-48 08:49:37 GMT", "Date": "@0"]), again),
        Row("§4.2 months in any case", stored(["Expires": "Thu, 18 AUG 2050 02:01:18 GMT"]), again),
        Row("§4.2 days in any case", stored(["Expires": "THU, 18 Aug 2050 02:01:18 GMT"]), again),
        Row("§4.2 GMT in any case", stored(["Expires": "Thu, 18 Aug 2050 02:01:18 gMT"]), again),
    ]

    @Test(arguments: [
        "Thu, 18 Aug 2050 02:01:18 AEST", "Thu, 18 Aug 2050 02:01:18 UTC", "Thu, 18 Aug 2050 02:01:18",
        "Thu, 18 Aug 50 02:01:18 GMT", "Thu 18 Aug 2050 02:01:18 GMT", "Thu, 18  Aug  2050 02:01:18 GMT",
        "Thu, 18-Aug-2050 02:01:18 GMT", "Thu, 18 Aug 2050 2:01:18 GMT", "Thu, 18 Aug 2050 02:1:18 GMT",
        "Thu, 18 Aug 2050 02.01.18 GMT", "Thu, 18 Aug 2050 02:01 GMT", "-1", "tomorrow", "", "2524608000",
        "Thu, 18 Aug 2050 02:01:18 GMT, Thu, 18 Aug 2050 02:01:18 GMT", "\"Thu, 18 Aug 2050 02:01:18 GMT\"",
    ])
    func `§5.3 an invalid date has expired`(expires: String) {
        Row(expires, stored(["Expires": expires, "Date": "@0", "Last-Modified": "@-864000"]), fetched).run()
    }
}
