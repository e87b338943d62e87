import PlugboardCacheOptions
import PlugboardKit
import Testing

@testable import PlugboardCache

/// RFC 9111 §3.3 and §3.4, RFC 9110 §14: parts.
struct PartialRows {
    @Test(arguments: fromWhole) func `ranges are served from a whole`(row: Row) { row.run() }
    @Test(arguments: fromPart) func `parts are stored and served`(row: Row) { row.run() }
    @Test(arguments: completion) func `a part is completed by the missing range`(row: Row) { row.run() }

    private static func whole(_ fields: Fields = ["Cache-Control": "max-age=60"]) -> Visit {
        Visit(response: fields, body: "0123456789", expects: .notCached, pause: 3)
    }
    private static func range(_ range: String, _ body: String, _ contentRange: String, also: Fields = [:]) -> Visit {
        var request = also
        request[.range] = range
        return Visit(
            request: request, expects: .cached, givesStatus: 206, givesBody: body,
            gives: ["Content-Range": contentRange, "Content-Length": "\(body.utf8.count)"])
    }
    private static func passes(_ range: String) -> Visit {
        Visit(request: ["Range": range], status: 206, expects: .notCached, asks: ["Range": range])
    }

    static let fromWhole = [
        Row("a range with both ends", whole(), range("bytes=2-4", "234", "bytes 2-4/10")),
        Row("a range of one byte", whole(), range("bytes=0-0", "0", "bytes 0-0/10")),
        Row("a range to the end", whole(), range("bytes=5-", "56789", "bytes 5-9/10")),
        Row("a range beyond the end is cut", whole(), range("bytes=8-99", "89", "bytes 8-9/10")),
        Row("the last bytes", whole(), range("bytes=-1", "9", "bytes 9-9/10")),
        Row("more last bytes than the whole has", whole(), range("bytes=-99", "0123456789", "bytes 0-9/10")),
        Row("the unit in any case", whole(), range("Bytes=2-4", "234", "bytes 2-4/10")),
        Row(
            "a range outside the whole is a 416", whole(),
            Visit(
                request: ["Range": "bytes=10-"], expects: .cached, givesStatus: 416, givesBody: "",
                gives: ["Content-Range": "bytes */10"])),
        Row(
            "no last bytes are a 416", whole(),
            Visit(request: ["Range": "bytes=-0"], expects: .cached, givesStatus: 416)),
        Row("several ranges are forwarded", whole(), passes("bytes=0-1,3-4")),
        Row("other units are forwarded", whole(), passes("lines=0-1")),
        Row("a malformed range is forwarded", whole(), passes("bytes=4-2")),
        Row("a too large number is forwarded", whole(), passes("bytes=99999999999999999999-")),
        Row(
            "a part has the stored fields", whole(["Cache-Control": "max-age=60", "A": "1", "ETag": "\"a\""]),
            Visit(
                request: ["Range": "bytes=0-1"], expects: .cached, givesStatus: 206,
                gives: ["A": "1", "ETag": "\"a\"", "Age": "3"])),
        Row(
            "RFC 9110 §14.2: a range of HEAD is ignored", whole(),
            Visit(method: .head, request: ["Range": "bytes=0-1"], expects: .cached, givesStatus: 200)),
        Row(
            "RFC 9110 §14.2: a range of an error is ignored",
            Visit(status: 404, response: ["Cache-Control": "max-age=60"], body: "0123456789"),
            Visit(request: ["Range": "bytes=0-1"], expects: .cached, givesStatus: 404, givesBody: "0123456789")),
        Row(
            "If-Range with the tag", whole(["Cache-Control": "max-age=60", "ETag": "\"a\""]),
            range("bytes=0-1", "01", "bytes 0-1/10", also: ["If-Range": "\"a\""])),
        Row(
            "If-Range with another tag", whole(["Cache-Control": "max-age=60", "ETag": "\"a\""]),
            Visit(
                request: ["Range": "bytes=0-1", "If-Range": "\"b\""], expects: .cached, givesStatus: 200,
                givesBody: "0123456789")),
        Row(
            "If-Range with a weak tag", whole(["Cache-Control": "max-age=60", "ETag": "W/\"a\""]),
            Visit(request: ["Range": "bytes=0-1", "If-Range": "W/\"a\""], expects: .cached, givesStatus: 200)),
        Row(
            "If-Range with the date",
            whole(["Cache-Control": "max-age=60", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]),
            range("bytes=0-1", "01", "bytes 0-1/10", also: ["If-Range": "Sun, 06 Nov 1994 08:49:37 GMT"])),
        Row(
            "If-Range with a later date",
            whole(["Cache-Control": "max-age=60", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]),
            Visit(
                request: ["Range": "bytes=0-1", "If-Range": "Mon, 07 Nov 1994 08:49:37 GMT"], expects: .cached,
                givesStatus: 200)),
        Row(
            "If-Range with a date that is too new to be strong",
            whole(["Cache-Control": "max-age=60", "Last-Modified": "@-5"]),
            Visit(request: ["Range": "bytes=0-1", "If-Range": "@-8"], expects: .cached, givesStatus: 200)),
        Row(
            "RFC 9110 §13.2.2: If-None-Match takes precedence over Range",
            whole(["Cache-Control": "max-age=60", "ETag": "\"a\""]),
            Visit(request: ["Range": "bytes=0-1", "If-None-Match": "\"a\""], expects: .cached, givesStatus: 304)),
        Row(
            "§4.3.1 a stale response is validated with the range",
            whole(["Cache-Control": "max-age=1", "ETag": "\"a\""]),
            Visit(
                request: ["Range": "bytes=0-1"], response: ["ETag": "\"a\""], expects: .tagValidated, givesStatus: 206,
                givesBody: "01",
                asks: ["Range": "bytes=0-1"])),
    ]

    private static func part(
        _ range: String, _ contentRange: String, _ body: String, _ fields: Fields = ["Cache-Control": "max-age=60"]
    ) -> Visit {
        var fields = fields
        fields[.contentRange] = contentRange
        return Visit(
            request: ["Range": range], status: 206, response: fields, body: body, expects: .notCached, givesStatus: 206,
            pause: 3)
    }

    private static let short = part(
        "bytes=-5", "bytes 4-9/10", "01234", ["Cache-Control": "max-age=60", "Content-Length": "5"])

    static let fromPart = [
        Row("the stored range", part("bytes=-5", "bytes 5-9/10", "56789"), range("bytes=-5", "56789", "bytes 5-9/10")),
        Row(
            "a range within the part", part("bytes=-5", "bytes 5-9/10", "56789"),
            range("bytes=6-8", "678", "bytes 6-8/10")),
        Row(
            "a range to the end of the part", part("bytes=-5", "bytes 5-9/10", "56789"),
            range("bytes=6-", "6789", "bytes 6-9/10")),
        Row(
            "the last byte of the part", part("bytes=-5", "bytes 5-9/10", "56789"),
            range("bytes=-1", "9", "bytes 9-9/10")),
        Row(
            "a range of a whole of unknown length", part("bytes=2-5", "bytes 2-5/*", "2345"),
            range("bytes=3-4", "34", "bytes 3-4/*")),
        Row(
            "a range to the end of a whole of unknown length is forwarded", part("bytes=2-5", "bytes 2-5/*", "2345"),
            passes("bytes=3-")),
        Row("a part shorter than its Content-Range: the last byte", short, range("bytes=-1", "4", "bytes 8-8/9")),
        Row("a part shorter than its Content-Range: to the end", short, range("bytes=6-", "234", "bytes 6-8/9")),
        Row(
            "a short part in the middle is forwarded",
            part("bytes=0-5", "bytes 0-5/10", "01234", ["Cache-Control": "max-age=60", "Content-Length": "5"]),
            passes("bytes=4-")),
        Row(
            "a short part without Content-Length is forwarded", part("bytes=-5", "bytes 4-9/10", "01234"),
            passes("bytes=-1")),
        Row("a range before the part is forwarded", part("bytes=-5", "bytes 5-9/10", "56789"), passes("bytes=4-8")),
        Row("a range after the part is forwarded", part("bytes=0-4", "bytes 0-4/10", "01234"), passes("bytes=0-5")),
        Row(
            "a range outside the whole is a 416, by a part", part("bytes=0-4", "bytes 0-4/10", "01234"),
            Visit(request: ["Range": "bytes=10-"], expects: .cached, givesStatus: 416)),
        Row(
            "a part with all bytes serves the whole", part("bytes=0-", "bytes 0-9/10", "0123456789"),
            Visit(expects: .cached, givesStatus: 200, givesBody: "0123456789", lacks: ["Content-Range"])),
        Row("a part does not serve the whole", part("bytes=0-4", "bytes 0-4/10", "01234"), fetched),
        Row(
            "a part has its own fields",
            part("bytes=0-4", "bytes 0-4/10", "01234", ["Cache-Control": "max-age=60", "A": "1"]),
            Visit(request: ["Range": "bytes=0-0"], expects: .cached, gives: ["A": "1"])),
        Row(
            "HEAD is served with the length of the whole", part("bytes=0-4", "bytes 0-4/10", "01234"),
            Visit(
                method: .head, expects: .cached, givesStatus: 200, gives: ["Content-Length": "10"],
                lacks: ["Content-Range"])),
        Row(
            "two parts of one state are both stored",
            part("bytes=0-1", "bytes 0-1/10", "01", ["Cache-Control": "max-age=60", "ETag": "\"a\""]),
            part("bytes=8-9", "bytes 8-9/10", "89", ["Cache-Control": "max-age=60", "ETag": "\"a\""]),
            range("bytes=0-1", "01", "bytes 0-1/10"), range("bytes=-2", "89", "bytes 8-9/10")),
        Row(
            "a part of another state replaces the first one",
            part("bytes=0-1", "bytes 0-1/10", "01", ["Cache-Control": "max-age=60", "ETag": "\"a\""]),
            part("bytes=8-9", "bytes 8-9/10", "89", ["Cache-Control": "max-age=60", "ETag": "\"b\""]),
            passes("bytes=0-1")),
        Row(
            "a part does not replace the whole", whole(["Cache-Control": "max-age=60", "ETag": "\"a\""]),
            Visit(
                request: ["Range": "bytes=0-1", "Cache-Control": "no-cache"], status: 206,
                response: ["Cache-Control": "max-age=60", "ETag": "\"a\"", "Content-Range": "bytes 0-1/10"], body: "01"),
            Visit(expects: .cached, givesBody: "0123456789")),
        Row(
            "a 206 without Content-Range is not stored",
            Visit(
                request: ["Range": "bytes=0-4"], status: 206, response: ["Cache-Control": "max-age=60"], body: "01234"),
            passes("bytes=0-4")),
        Row(
            "a 206 with a malformed Content-Range is not stored", part("bytes=0-4", "bytes 4-0/10", "01234"),
            passes("bytes=0-4")),
        Row("a 206 beyond the whole is not stored", part("bytes=0-4", "bytes 6-10/10", "01234"), passes("bytes=0-4")),
        Row(
            "a part longer than its Content-Range is not stored", part("bytes=0-3", "bytes 0-3/10", "01234"),
            passes("bytes=0-3")),
        Row(
            "a part shorter than its Content-Range does not serve all of it",
            part("bytes=0-5", "bytes 0-5/10", "01234"), passes("bytes=0-5")),
        Row(
            "a stale part is validated",
            part("bytes=0-4", "bytes 0-4/10", "01234", ["Cache-Control": "max-age=1", "ETag": "\"a\""]),
            Visit(
                request: ["Range": "bytes=0-1"], response: ["ETag": "\"a\""], expects: .tagValidated, givesStatus: 206,
                givesBody: "01")),
        Row(
            "a stale part without a validator is forwarded",
            part("bytes=0-4", "bytes 0-4/10", "01234", ["Cache-Control": "max-age=1"]),
            passes("bytes=0-4")),
        Row(
            "a 206 to POST is not stored",
            Visit(
                method: .post, request: ["Range": "bytes=0-1"], status: 206,
                response: ["Cache-Control": "max-age=60", "Content-Range": "bytes 0-1/10"], body: "01"),
            passes("bytes=0-1")),
    ]

    private static let tagged: Fields = ["Cache-Control": "max-age=60", "ETag": "\"a\""]
    private static func rest(
        _ contentRange: String, _ body: String, _ fields: Fields = tagged, expects: Visit.Expectation = .completed
    ) -> Visit {
        var fields = fields
        fields[.contentRange] = contentRange
        return Visit(status: 206, response: fields, body: body, expects: expects)
    }
    private static func asking(_ visit: Visit, _ range: String, _ validator: String = "\"a\"") -> Visit {
        var visit = visit
        visit.asks = ["Range": range, "If-Range": validator]
        visit.givesStatus = 200
        visit.givesBody = "0123456789"
        visit.gives = ["Content-Length": "10"]
        visit.lacks = ["Content-Range"]
        return visit
    }
    private static let wholeAgain = Visit(expects: .cached, givesStatus: 200, givesBody: "0123456789")

    static let completion = [
        Row(
            "the missing end is requested", part("bytes=0-4", "bytes 0-4/10", "01234", tagged),
            asking(rest("bytes 5-9/10", "56789"), "bytes=5-"), wholeAgain),
        Row(
            "the missing beginning is requested", part("bytes=-5", "bytes 5-9/10", "56789", tagged),
            asking(rest("bytes 0-4/10", "01234"), "bytes=0-4"), wholeAgain),
        Row(
            "the end of a whole of unknown length is requested", part("bytes=0-4", "bytes 0-4/*", "01234", tagged),
            asking(rest("bytes 5-9/10", "56789"), "bytes=5-"), wholeAgain),
        Row(
            "a part with a strong date is completed",
            part(
                "bytes=0-4", "bytes 0-4/10", "01234",
                ["Cache-Control": "max-age=60", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]),
            asking(
                rest("bytes 5-9/10", "56789", ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]), "bytes=5-",
                "Sun, 06 Nov 1994 08:49:37 GMT"),
            wholeAgain),
        Row(
            "a stale part is completed",
            part("bytes=0-4", "bytes 0-4/10", "01234", ["Cache-Control": "max-age=1", "ETag": "\"a\""]),
            asking(rest("bytes 5-9/10", "56789"), "bytes=5-"), wholeAgain),
        Row(
            "§3.4 the fields of a completed part are updated",
            part(
                "bytes=0-4", "bytes 0-4/10", "01234",
                ["Cache-Control": "max-age=60", "ETag": "\"a\"", "A": "1", "B": "1"]),
            Visit(
                status: 206, response: ["ETag": "\"a\"", "B": "2", "Content-Range": "bytes 5-9/10"], body: "56789",
                expects: .completed, gives: ["A": "1", "B": "2"]),
            Visit(expects: .cached, gives: ["A": "1", "B": "2"])),
        Row(
            "a new whole replaces the part", part("bytes=0-4", "bytes 0-4/10", "01234", tagged),
            Visit(
                response: ["Cache-Control": "max-age=60", "ETag": "\"b\""], body: "new", expects: .completed,
                givesStatus: 200, givesBody: "new"),
            Visit(expects: .cached, givesBody: "new"), passes("bytes=0-0,1-1")),
        Row("a part in the middle is not completed", part("bytes=3-4", "bytes 3-4/10", "34", tagged), fetched),
        Row(
            "§3.4 a part without a strong validator is not completed",
            part("bytes=0-4", "bytes 0-4/10", "01234", ["Cache-Control": "max-age=60", "ETag": "W/\"a\""]), fetched),
        Row(
            "a request with a condition is forwarded unchanged", part("bytes=0-4", "bytes 0-4/10", "01234", tagged),
            Visit(request: ["If-None-Match": "\"x\""], expects: .notCached, asks: ["If-None-Match": "\"x\""])),
        Row("a part is not served stale", part("bytes=0-4", "bytes 0-4/10", "01234", tagged), Visit(isDown: true)),
    ]

    /// Responses to the cache's own range that are of no use.
    @Test(arguments: [
        (206, "bytes 5-9/10", "\"b\""), (206, "bytes 5-9/10", "W/\"a\""), (206, "bytes 5-9/10", ""),
        (206, "bytes 4-9/10", "\"a\""), (206, "bytes 5-8/10", "\"a\""), (206, "bytes 5-9/11", "\"a\""),
        (206, "bytes 5-9/*x", "\"a\""), (206, "", "\"a\""), (416, "bytes */10", "\"a\""), (304, "", "\"a\""),
    ])
    func `§3.4 a part that does not match is replaced by a request for the whole`(
        status: Int, contentRange: String, tag: String
    ) {
        var cache = PolicyCache()
        _ = cache.send(.get(["Range": "bytes=0-4"])) { _ in
            .init(
                status: 206, fields: ["Cache-Control": "max-age=60", "ETag": "\"a\"", "Content-Range": "bytes 0-4/10"],
                body: "01234")
        }

        let result = cache.send(.get()) { request in
            if !request.contains(.range) { return .init(fields: ["Cache-Control": "max-age=60"], body: "whole") }
            var fields: Fields = ["Content-Range": contentRange]
            if !tag.isEmpty { fields[.etag] = tag }
            return .init(status: status, fields: fields, body: "56789")
        }
        let later = cache.send(.get()) { _ in nil }

        #expect(result.asked.map { $0.count } == [2, 0])
        #expect(result.status == 200 && result.body == "whole")
        #expect(later.body == "whole")
    }
}
