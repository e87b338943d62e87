import CacheOptions
import PlugboardKit
import Testing

@testable import CachePlugin

/// RFC 9111 §4.3.5 and §4.4: the effects of HEAD and unsafe methods on stored responses.
struct ChangeRows {
    private static let fresh = stored(["Cache-Control": "max-age=10000"])

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH", "FOO", "get"])
    func `§4.4 unsafe and unknown methods invalidate their URL`(method: String) {
        Row(method, Self.fresh, Visit(method: Method(method), expects: .notCached), anew).run()
        Row("\(method) redirected", Self.fresh, Visit(method: Method(method), status: 303, expects: .notCached), anew)
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
                    expects: .notCached), anew
            ).run()
        }
        Row(
            "\(method) \(field) from elsewhere", Self.fresh,
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
            "§4.4 what is invalidated is validated, not lost",
            stored(["Cache-Control": "max-age=60", "ETag": "\"a\""]),
            Visit(method: .post, expects: .notCached),
            Visit(
                response: ["ETag": "\"a\"", "Cache-Control": "max-age=60"], expects: .tagValidated, givesBody: "body 1"),
            Visit(expects: .cached, givesBody: "body 1")),
        Row(
            "§4.4 and not served without it", stored(["Cache-Control": "max-age=60"]),
            Visit(method: .post, expects: .notCached),
            Visit(request: ["Cache-Control": "max-stale"], isDown: true)),
        Row(
            "§4.4 no-store does not keep from it", fresh,
            Visit(method: .post, request: ["Cache-Control": "no-store"], expects: .notCached), anew),
        Row(
            "RFC 9110 §9.3.3: what POST says of its own URL is stored",
            Visit(
                method: .post, response: ["Cache-Control": "max-age=60", "Content-Location": "https://example.com/a"],
                expects: .notCached),
            again),
        Row(
            "RFC 9110 §9.3.3: in place of what was there", fresh,
            Visit(
                method: .post, response: ["Cache-Control": "max-age=60", "Content-Location": "/a"], expects: .notCached),
            Visit(expects: .cached, givesBody: "body 2")),
        Row(
            "RFC 9110 §9.3.3: not without explicit freshness",
            Visit(
                method: .post, response: ["Last-Modified": "@-86400", "Content-Location": "/a"], expects: .notCached),
            anew),
        Row(
            "RFC 9110 §9.3.3: not what is of another URL",
            Visit(
                method: .post, response: ["Cache-Control": "max-age=60", "Content-Location": "/b"], expects: .notCached),
            anew),
        Row(
            "RFC 9110 §9.3.3: not without Content-Location",
            Visit(method: .post, response: ["Cache-Control": "max-age=60"], expects: .notCached), anew),
        Row(
            "RFC 9110 §9.3.3: not of PUT",
            Visit(
                method: .put, response: ["Cache-Control": "max-age=60", "Content-Location": "/a"], expects: .notCached),
            anew),
        Row(
            "RFC 9110 §9.3.3: POST itself goes through",
            Visit(
                method: .post, response: ["Cache-Control": "max-age=60", "Content-Location": "/a"], expects: .notCached),
            Visit(method: .post, expects: .notCached)),

        Row(
            "§4 HEAD is served from the response to GET", fresh,
            Visit(method: .head, expects: .cached, givesStatus: 200, givesBody: "")),
        Row(
            "§4 GET is not by what HEAD brought",
            Visit(method: .head, response: ["Cache-Control": "max-age=60"], body: "", expects: .notCached), anew),
        Row(
            "§4.3.5 a stale response's HEAD goes on as it is", stale,
            Visit(method: .head, body: "", expects: .notCached, givesStatus: 200)),
        Row(
            "§4.3.5 HEAD renews and updates", stale,
            Visit(
                method: .head, response: ["Cache-Control": "max-age=60", "ETag": "\"a\"", "A": "2"], body: "",
                expects: .notCached),
            Visit(expects: .cached, givesBody: "body 1", gives: ["A": "2", "B": "1", "Age": "0"])),
        Row(
            "§4.3.5 HEAD without validators too", stale,
            Visit(method: .head, response: ["Cache-Control": "max-age=60"], body: "", expects: .notCached), again),
        Row(
            "§4.3.5 another tag", stale,
            Visit(
                method: .head, response: ["Cache-Control": "max-age=60", "ETag": "\"b\""], body: "", expects: .notCached
            ),
            Visit(expects: .notCached, asks: ["If-None-Match": "\"a\""])),
        Row(
            "§4.3.5 another date", stored(["Cache-Control": "max-age=60", "Last-Modified": "@-3000"]),
            Visit(
                method: .head, request: ["Cache-Control": "no-cache"],
                response: ["Cache-Control": "max-age=60", "Last-Modified": "@-1"], body: "", expects: .notCached), anew),
        Row(
            "§4.3.5 another length", stale,
            Visit(
                method: .head, response: ["Cache-Control": "max-age=60", "Content-Length": "7"], body: "",
                expects: .notCached),
            Visit(expects: .tagValidated)),
        Row(
            "§4.3.5 the same length", stale,
            Visit(
                method: .head, response: ["Cache-Control": "max-age=60", "Content-Length": "6"], body: "",
                expects: .notCached), again),
        Row(
            "§4.3.5 gone", stored(["Cache-Control": "max-age=60"]),
            Visit(method: .head, request: ["Cache-Control": "no-cache"], status: 410, body: "", expects: .notCached),
            anew),
        Row(
            "§4.3.5 an error says nothing", stored(["Cache-Control": "max-age=60"]),
            Visit(method: .head, request: ["Cache-Control": "no-cache"], status: 500, body: "", expects: .notCached),
            again),
        Row(
            "a HEAD whose caller stores nothing changes nothing", stale,
            Visit(
                method: .head, request: ["Cache-Control": "no-store"], response: ["Cache-Control": "max-age=60"],
                body: "", expects: .notCached),
            Visit(expects: .tagValidated)),
        Row(
            "a newer response that is not stored takes the older with it",
            stored(["Cache-Control": "max-age=1", "ETag": "\"a\""]),
            Visit(expects: .notCached), Visit(expects: .notCached)),
        Row(
            "an error does not", stored(["Cache-Control": "max-age=1", "ETag": "\"a\""]),
            Visit(status: 500, expects: .notCached), Visit(expects: .tagValidated)),
    ]
}
