import PlugboardKit
import Testing

@testable import PlugboardCache

/// RFC 9111 §4.1 and RFC 9110 §12.5.5: responses that depend on fields of the request.
struct VaryRows {
    @Test(arguments: rows) func `a response is served to requests with the same selecting fields`(row: Row) {
        row.run()
    }
    @Test(arguments: forms) func `equivalent field values are equal`(row: Row) { row.run() }

    private static func varying(_ vary: String..., for request: Fields = [:]) -> Visit {
        var response: Fields = ["Cache-Control": "max-age=5000", "Date": "@0"]
        for value in vary { response.append(.vary, value) }
        return Visit(request: request, response: response, expects: .notCached, pause: 1)
    }
    private static func same(_ request: Fields, _ body: String = "body 1") -> Visit {
        Visit(request: request, expects: .cached, givesBody: body)
    }
    private static func other(_ request: Fields) -> Visit { Visit(request: request, expects: .notCached) }

    static let rows = [
        Row("the same value", varying("Foo", for: ["Foo": "1"]), same(["Foo": "1"])),
        Row("another value", varying("Foo", for: ["Foo": "1"]), other(["Foo": "2"])),
        Row("a missing field differs from a value", varying("Foo", for: ["Foo": "1"]), other([:])),
        Row("a value differs from a missing field", varying("Foo"), other(["Foo": "1"])),
        Row("a missing field equals a missing field", varying("Foo"), same([:])),
        Row("an empty value differs from a missing field", varying("Foo"), other(["Foo": ""])),
        Row("names in Vary have any case", varying("fOO", for: ["Foo": "1"]), other(["FOO": "2"])),
        Row("values are case-sensitive", varying("Foo", for: ["Foo": "a"]), other(["Foo": "A"])),
        Row(
            "several variants", varying("Foo", for: ["Foo": "1"]), varying("Foo", for: ["Foo": "2"]),
            same(["Foo": "1"], "body 1"), same(["Foo": "2"], "body 2")),
        Row("two fields", varying("Foo, Bar", for: ["Foo": "1", "Bar": "a"]), same(["Foo": "1", "Bar": "a"])),
        Row(
            "two fields, one with another value", varying("Foo, Bar", for: ["Foo": "1", "Bar": "a"]),
            other(["Foo": "1", "Bar": "b"])),
        Row("two lines", varying("Foo", "Bar", for: ["Foo": "1", "Bar": "a"]), other(["Foo": "1", "Bar": "b"])),
        Row(
            "three fields, in any order", varying("Foo, Bar, Baz", for: ["Foo": "1", "Bar": "a", "Baz": "x"]),
            same(["Baz": "x", "Foo": "1", "Bar": "a"])),
        Row(
            "three fields, one missing", varying("Foo, Bar, Baz", for: ["Foo": "1", "Baz": "x"]),
            same(["Foo": "1", "Baz": "x"])),
        Row(
            "other fields do not count", varying("Foo", for: ["Foo": "1", "Other": "2"]),
            same(["Foo": "1", "Other": "3"])),
        Row("*", varying("*"), other([:])),
        Row("Foo, *", varying("Foo, *", for: ["Foo": "1"]), other(["Foo": "1"])),
        Row("*, Foo", varying("*, Foo", for: ["Foo": "1"]), other(["Foo": "1"])),
        Row(", *", varying(", *"), other([:])),
        Row("*, *", varying("*, *"), other([:])),
        Row("* in a second line", varying("", "*"), other([:])),
        Row("* in two lines", varying("*", "*"), other([:])),
        Row("an empty Vary names no field", varying("", for: ["Foo": "1"]), same(["Foo": "2"])),
        Row(
            "* is validated by its tag", stored(["Vary": "*", "ETag": "\"a\"", "Cache-Control": "max-age=60"]),
            Visit(expects: .tagValidated, givesBody: "body 1")),
        Row(
            "§4.3.1 other variants are validated by their tags",
            Visit(
                request: ["Foo": "1"], response: ["Vary": "Foo", "ETag": "\"a\"", "Cache-Control": "max-age=60"],
                pause: 1
            ),
            Visit(
                request: ["Foo": "2"], response: ["Vary": "Foo", "ETag": "\"b\"", "Cache-Control": "max-age=60"],
                pause: 1
            ),
            Visit(
                request: ["Foo": "3"], status: 304, response: ["ETag": "\"a\""], givesStatus: 200, givesBody: "body 1",
                asks: ["If-None-Match": "\"b\", \"a\""]),
            same(["Foo": "1"], "body 1")),
        Row(
            "§4.3.4 after an ambiguous 304 the request is sent again",
            Visit(
                request: ["Foo": "1"], response: ["Vary": "Foo", "ETag": "\"a\"", "Cache-Control": "max-age=60"],
                pause: 1
            ),
            Visit(
                request: ["Foo": "2"], response: ["Vary": "Foo", "ETag": "\"b\"", "Cache-Control": "max-age=60"],
                pause: 1
            ),
            Visit(request: ["Foo": "3"], status: 304, givesStatus: 304)),
        Row(
            "§4.1 of several matching responses, one with Vary is preferred",
            Visit(request: ["Foo": "1"], response: ["Vary": "Foo", "Cache-Control": "max-age=60"], pause: 1),
            Visit(request: ["Foo": "2"], response: ["Cache-Control": "max-age=60"], pause: 1),
            same(["Foo": "1"], "body 1"), same(["Foo": "3"], "body 2")),
        Row(
            "§4.4 all variants are invalidated together", varying("Foo", for: ["Foo": "1"]),
            varying("Foo", for: ["Foo": "2"]),
            Visit(method: .post, request: ["Foo": "1"], expects: .notCached), other(["Foo": "2"])),
    ]

    static let forms = [
        Row("two lines form one list", varying("Foo", for: ["Foo": "1", "Foo": "2"]), same(["Foo": "1, 2"])),
        Row("blanks around commas do not count", varying("Foo", for: ["Foo": "1,2"]), same(["Foo": " 1 ,\t2 "])),
        Row(
            "commas in quotes do not separate members", varying("Foo", for: ["Foo": "\"1, 2\""]),
            other(["Foo": "\"1,2\""])),
        Row("the order of values counts", varying("Foo", for: ["Foo": "1, 2"]), other(["Foo": "2, 1"])),
        Row(
            "RFC 9110 §12.5.4: the order of languages does not count",
            varying("Accept-Language", for: ["Accept-Language": "en, de"]), same(["Accept-Language": "de, en"])),
        Row(
            "languages in any case", varying("Accept-Language", for: ["Accept-Language": "en, DE"]),
            same(["Accept-Language": "eN, de"])),
        Row(
            "blanks between languages do not count", varying("Accept-Language", for: ["Accept-Language": "en,de"]),
            same(["Accept-Language": "en , de"])),
        Row(
            "weights are compared as numbers",
            varying("Accept-Language", for: ["Accept-Language": "en;q=0.50, de;q=1.0"]),
            same(["Accept-Language": "de,en; q=0.5"])),
        Row(
            "other weights differ", varying("Accept-Language", for: ["Accept-Language": "en;q=0.5"]),
            other(["Accept-Language": "en;q=0.6"])),
        Row(
            "a weight of zero differs from none", varying("Accept-Encoding", for: ["Accept-Encoding": "gzip;q=0"]),
            other(["Accept-Encoding": "gzip"])),
        Row(
            "codings in any order and case", varying("Accept-Encoding", for: ["Accept-Encoding": "gzip, BR"]),
            same(["Accept-Encoding": "br,gzip"])),
        Row(
            "parameters of types are case-sensitive", varying("Accept", for: ["Accept": "a/b;p=X"]),
            other(["Accept": "a/b;p=x"])),
        Row(
            "§4.1 a response in the preferred language matches",
            Visit(
                request: ["Accept-Language": "en, de"],
                response: ["Vary": "Accept-Language", "Content-Language": "de", "Cache-Control": "max-age=60"]),
            same(["Accept-Language": "fr;q=0.5, de;q=1.0"]), other(["Accept-Language": "fr, de"]),
            other(["Accept-Language": "fr, de;q=0.5"])),
        Row(
            "equal credentials match",
            varying("Authorization, Cookie", for: ["Authorization": "Bearer a", "Cookie": "a=1"]),
            same(["Authorization": "Bearer a", "Cookie": "a=1"]), other(["Authorization": "Bearer b", "Cookie": "a=1"])),
    ]

    @Test func `selecting credentials are not stored in clear text`() {
        var cache = PolicyCache()
        let request = RequestFacts.get([
            "Authorization": "Bearer secret", "Cookie": "id=secret", "X-Api-Key": "secret", "Foo": "plain",
        ])

        _ = cache.send(request) { _ in
            .init(fields: ["Vary": "Authorization, Cookie, X-Api-Key, Foo", "Cache-Control": "max-age=9"])
        }
        let selecting = cache.entries[request.key]?.first?.response.selecting ?? []

        #expect(selecting.map(\.name) == ["authorization", "cookie", "x-api-key", "foo"])
        #expect(selecting.map { $0.value?.utf8.count } == [64, 64, 64, 5])
        #expect(!selecting.contains { $0.value?.contains("secret") ?? false })
    }

    @Test func `above the limit of variants the oldest is removed`() {
        var cache = PolicyCache()
        cache.policy.variantLimit = 3

        for number in 1...5 {
            _ = cache.send(.get(["Foo": "\(number)"])) { _ in
                .init(fields: ["Vary": "Foo", "Cache-Control": "max-age=99"])
            }
            cache.now += .seconds(1)
        }
        let kept = cache.entries.values.joined().map { $0.response.selecting.first?.value }

        #expect(kept == ["3", "4", "5"])
    }
}
