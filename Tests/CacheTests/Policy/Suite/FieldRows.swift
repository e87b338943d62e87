import PlugboardKit
import Testing

@testable import PlugboardCache

/// RFC 9111 §3.1 and §3.2: which fields are stored and updated.
struct FieldRows {
    private static let values: [(FieldName, String, String)] = [
        ("Test-Header", "a", "b"), ("X-Test-Header", "a", "b"), ("Content-Foo", "a", "b"), ("X-Content-Foo", "a", "b"),
        ("Content-Encoding", "x", "y"), ("Content-Location", "/foo", "/bar"), ("Content-MD5", "rL0Y", "N7Ud"),
        ("Content-Range", "a", "b"), ("Content-Security-Policy", "default-src 'self'", "default-src 'none'"),
        ("Content-Type", "text/plain", "text/plain;charset=utf-8"), ("Clear-Site-Data", "cache", "cookies"),
        ("Public-Key-Pins", "a", "b"), ("Set-Cookie", "a=b", "a=c"), ("Set-Cookie2", "a=b", "a=c"),
        ("X-Frame-Options", "deny", "sameorigin"), ("X-XSS-Protection", "1", "1; mode=block"), ("Server", "a", "b"),
        ("Via", "1.1 a", "1.1 b"), ("Expires", "Fri, 01 Jan 2038 01:01:01 GMT", "Mon, 11 Jan 2038 11:11:11 GMT"),
    ]
    private static let ofConnection: [FieldName] = [
        "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
        "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding", "Upgrade", "Warning",
    ]

    @Test(arguments: values) func `§3.1 fields are stored`(name: FieldName, value: String, _: String) {
        Row(
            "\(name)", stored(["Cache-Control": "max-age=60", name.text: value]),
            Visit(expects: .cached, gives: [name.text: value])
        ).run()
    }

    @Test(arguments: ofConnection) func `§3.1 fields of the connection are not stored`(name: FieldName) {
        Row("\(name)", stored(["Cache-Control": "max-age=60", name.text: "x"]), Visit(expects: .cached, lacks: [name]))
            .run()
    }

    @Test(arguments: values) func `§3.2 a field that a 304 omits stays`(name: FieldName, value: String, _: String) {
        Row(
            "\(name)", stored(["Cache-Control": "max-age=1", "Last-Modified": "@-3000", name.text: value]),
            Visit(
                response: ["Cache-Control": "max-age=60", "Last-Modified": "@-3003"], expects: .dateValidated,
                gives: [name.text: value]),
            Visit(expects: .cached, gives: [name.text: value])
        ).run()
    }

    @Test(arguments: values) func `§3.2 a 304 updates a field`(name: FieldName, value: String, new: String) {
        // The stored bytes have the coding that they were received with.
        let kept = name == "Content-Encoding" ? value : new
        Row(
            "\(name)", stored(["Cache-Control": "max-age=1", "ETag": "\"a\"", name.text: value]),
            Visit(
                response: ["Cache-Control": "max-age=60", "ETag": "\"a\"", name.text: new], expects: .tagValidated,
                gives: [name.text: kept]),
            Visit(expects: .cached, givesBody: "body 1", gives: [name.text: kept])
        ).run()
    }

    @Test(arguments: ofConnection) func `§3.2 fields of the connection in a 304 are not stored`(name: FieldName) {
        Row(
            "\(name)", stored(["Cache-Control": "max-age=1", "ETag": "\"a\""]),
            Visit(
                response: ["ETag": "\"a\"", "Cache-Control": "max-age=60", name.text: "x"], expects: .tagValidated,
                lacks: [name]),
            Visit(expects: .cached, lacks: [name])
        ).run()
    }

    @Test(arguments: rows) func `fields are stored unchanged`(row: Row) { row.run() }

    static let rows = [
        Row(
            "§3.1 fields named by Connection are not stored",
            stored([
                "Connection": "a, B", "Connection": "c", "A": "1", "b": "2", "c": "3", "D": "4",
                "Cache-Control": "max-age=9",
            ]),
            Visit(expects: .cached, gives: ["D": "4"], lacks: ["a", "b", "c", "Connection"])),
        Row(
            "§3.2 Content-Length stays that of the stored body",
            stored(["Cache-Control": "max-age=1", "ETag": "\"a\"", "Content-Length": "6"]),
            Visit(
                response: ["ETag": "\"a\"", "Content-Length": "0"], expects: .tagValidated,
                gives: ["Content-Length": "6"]
            )),
        Row(
            "§3.2 several lines are replaced together",
            stored(["Cache-Control": "max-age=1", "Cache-Control": "public", "ETag": "\"a\""]),
            Visit(
                response: ["ETag": "\"a\"", "Cache-Control": "max-age=60"], expects: .tagValidated,
                gives: ["Cache-Control": "max-age=60"])),
        Row(
            "§3.3 a cut body is not stored",
            stored(["Cache-Control": "max-age=60", "Content-Length": "7"]), fetched),
        Row(
            "RFC 9112 §6.3: Content-Length with Transfer-Encoding is ignored",
            stored(["Cache-Control": "max-age=60", "Content-Length": "7", "Transfer-Encoding": "chunked"]), again),
    ]

    @Test func `several lines of a field stay separate`() {
        var cache = PolicyCache()
        let fields: Fields = ["Cache-Control": "max-age=60", "Set-Cookie": "a=1", "Link": "</x>", "Set-Cookie": "b=2"]

        _ = cache.send(.get()) { _ in .init(fields: fields) }
        let response = cache.send(.get()) { _ in nil }

        #expect(response.fields.values(.setCookie) == ["a=1", "b=2"])
        #expect(response.fields.map(\.name) == ["Cache-Control", "Set-Cookie", "Link", "Set-Cookie", "Date", "Age"])
    }
}
