import PlugboardCacheOptions
import PlugboardKit
import Testing

@testable import PlugboardCache

/// RFC 9111 §4.3.5 and §4.4: the effects of HEAD and unsafe methods on stored responses.
struct ChangeRows {
    private static let fresh = stored(["Cache-Control": "max-age=10000"])

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH", "FOO", "get"])
    func `§4.4 unsafe and unknown methods invalidate their URL`(method: String) {
        Row(method, Self.fresh, Visit(method: Method(method), expects: .notCached), fetched).run()
        Row(
            "\(method) redirected", Self.fresh, Visit(method: Method(method), status: 303, expects: .notCached), fetched
        )
        .run()
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "M-SEARCH"])
    func `§4.4 a failed unsafe method invalidates nothing`(method: String) {
        for status in [400, 404, 500, 503] {
            Row(
                "\(method) \(status)", Self.fresh, Visit(method: Method(method), status: status, expects: .notCached),
                again
            ).run()
        }
        Row("\(method) without a response", Self.fresh, Visit(method: Method(method), isDown: true), again).run()
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "M-SEARCH"], ["Location", "Content-Location"])
    func `§4.4 Location and Content-Location of the same origin are invalidated too`(method: String, field: String) {
        for reference in ["https://example.com/a", "/a"] {
            Row(
                "\(method) \(field) \(reference)", Self.fresh,
                Visit(
                    method: Method(method), url: "https://example.com/b", response: [field: reference],
                    expects: .notCached), fetched
            ).run()
        }
        Row(
            "\(method) \(field) of another origin", Self.fresh,
            Visit(
                method: Method(method), url: "https://other.example/b", response: [field: "https://example.com/a"],
                expects: .notCached), again
        ).run()
    }

    @Test(arguments: ["OPTIONS", "TRACE"]) func `safe methods invalidate nothing, and are not stored`(method: String) {
        let visit = Visit(method: Method(method), response: ["Cache-Control": "max-age=60"], expects: .notCached)
        Row(method, Self.fresh, visit, visit, again).run()
    }

    @Test(arguments: rows) func `stored responses follow the server's responses`(row: Row) { row.run() }

    private static let stale = stored(["Cache-Control": "max-age=1", "ETag": "\"a\"", "A": "1", "B": "1"])

    static let rows = [
        Row(
            "§4.4 an invalidated response is validated",
            stored(["Cache-Control": "max-age=60", "ETag": "\"a\""]),
            Visit(method: .post, expects: .notCached),
            Visit(
                response: ["ETag": "\"a\"", "Cache-Control": "max-age=60"], expects: .tagValidated, givesBody: "body 1"),
            Visit(expects: .cached, givesBody: "body 1")),
        Row(
            "§4.4 an invalidated response is not served without validation", stored(["Cache-Control": "max-age=60"]),
            Visit(method: .post, expects: .notCached),
            Visit(request: ["Cache-Control": "max-stale"], isDown: true)),
        Row(
            "§4.4 an unsafe request with no-store invalidates too", fresh,
            Visit(method: .post, request: ["Cache-Control": "no-store"], expects: .notCached), fetched),
        Row(
            "RFC 9110 §9.3.3: a POST response with its own Content-Location is stored",
            Visit(
                method: .post, response: ["Cache-Control": "max-age=60", "Content-Location": "https://example.com/a"],
                expects: .notCached),
            again),
        Row(
            "RFC 9110 §9.3.3: it replaces the stored response", fresh,
            Visit(
                method: .post, response: ["Cache-Control": "max-age=60", "Content-Location": "/a"], expects: .notCached),
            Visit(expects: .cached, givesBody: "body 2")),
        Row(
            "RFC 9110 §9.3.3: without explicit freshness it is not stored",
            Visit(
                method: .post, response: ["Last-Modified": "@-86400", "Content-Location": "/a"], expects: .notCached),
            fetched),
        Row(
            "RFC 9110 §9.3.3: with another Content-Location it is not stored",
            Visit(
                method: .post, response: ["Cache-Control": "max-age=60", "Content-Location": "/b"], expects: .notCached),
            fetched),
        Row(
            "RFC 9110 §9.3.3: without Content-Location it is not stored",
            Visit(method: .post, response: ["Cache-Control": "max-age=60"], expects: .notCached), fetched),
        Row(
            "RFC 9110 §9.3.3: a PUT response is not stored",
            Visit(
                method: .put, response: ["Cache-Control": "max-age=60", "Content-Location": "/a"], expects: .notCached),
            fetched),
        Row(
            "RFC 9110 §9.3.3: a later POST is forwarded",
            Visit(
                method: .post, response: ["Cache-Control": "max-age=60", "Content-Location": "/a"], expects: .notCached),
            Visit(method: .post, expects: .notCached)),

        Row(
            "§4 HEAD is served from the response to GET", fresh,
            Visit(method: .head, expects: .cached, givesStatus: 200, givesBody: "")),
        Row(
            "§4 GET is not served from the response to HEAD",
            Visit(method: .head, response: ["Cache-Control": "max-age=60"], body: "", expects: .notCached), fetched),
        Row(
            "§4.3.5 a HEAD for a stale response is forwarded", stale,
            Visit(method: .head, body: "", expects: .notCached, givesStatus: 200)),
        Row(
            "§4.3.5 HEAD updates the stored response", stale,
            Visit(
                method: .head, response: ["Cache-Control": "max-age=60", "ETag": "\"a\"", "A": "2"], body: "",
                expects: .notCached),
            Visit(expects: .cached, givesBody: "body 1", gives: ["A": "2", "B": "1", "Age": "0"])),
        Row(
            "§4.3.5 HEAD without validators updates the stored response", stale,
            Visit(method: .head, response: ["Cache-Control": "max-age=60"], body: "", expects: .notCached), again),
        Row(
            "§4.4 HEAD without validators leaves an invalidated response invalidated", fresh,
            Visit(method: .post, expects: .notCached),
            Visit(method: .head, response: ["Cache-Control": "max-age=60"], body: "", expects: .notCached), fetched),
        Row(
            "§4.4 HEAD with the same tag confirms an invalidated response",
            stored(["Cache-Control": "max-age=60", "ETag": "\"a\""]), Visit(method: .post, expects: .notCached),
            Visit(
                method: .head, response: ["Cache-Control": "max-age=60", "ETag": "\"a\""], body: "", expects: .notCached
            ), again),
        Row(
            "§4.3.5 HEAD with another tag invalidates", stale,
            Visit(
                method: .head, response: ["Cache-Control": "max-age=60", "ETag": "\"b\""], body: "", expects: .notCached
            ),
            Visit(expects: .notCached, asks: ["If-None-Match": "\"a\""])),
        Row(
            "§4.3.5 HEAD with another date invalidates",
            stored(["Cache-Control": "max-age=60", "Last-Modified": "@-3000"]),
            Visit(
                method: .head, request: ["Cache-Control": "no-cache"],
                response: ["Cache-Control": "max-age=60", "Last-Modified": "@-1"], body: "", expects: .notCached),
            fetched),
        Row(
            "§4.3.5 HEAD with another length invalidates", stale,
            Visit(
                method: .head, response: ["Cache-Control": "max-age=60", "Content-Length": "7"], body: "",
                expects: .notCached),
            Visit(expects: .tagValidated)),
        Row(
            "§4.3.5 HEAD with the same length updates", stale,
            Visit(
                method: .head, response: ["Cache-Control": "max-age=60", "Content-Length": "6"], body: "",
                expects: .notCached), again),
        Row(
            "§4.3.5 HEAD with 410 invalidates", stored(["Cache-Control": "max-age=60"]),
            Visit(method: .head, request: ["Cache-Control": "no-cache"], status: 410, body: "", expects: .notCached),
            fetched),
        Row(
            "§4.3.5 HEAD with an error changes nothing", stored(["Cache-Control": "max-age=60"]),
            Visit(method: .head, request: ["Cache-Control": "no-cache"], status: 500, body: "", expects: .notCached),
            again),
        Row(
            "a HEAD with no-store changes nothing", stale,
            Visit(
                method: .head, request: ["Cache-Control": "no-store"], response: ["Cache-Control": "max-age=60"],
                body: "", expects: .notCached),
            Visit(expects: .tagValidated)),
        Row(
            "a newer response that is not stored removes the older one",
            stored(["Cache-Control": "max-age=1", "ETag": "\"a\""]),
            Visit(expects: .notCached), Visit(expects: .notCached)),
        Row(
            "an error response does not", stored(["Cache-Control": "max-age=1", "ETag": "\"a\""]),
            Visit(status: 500, expects: .notCached), Visit(expects: .tagValidated)),
    ]
}
