import TestSupport
import Testing

@testable import PlugboardCookies

struct NetscapeFileTests {
    private let now = Duration.seconds(1_000_000_000)

    @Test func `a written file reads as the same cookies`() throws {
        var jar = Jar()
        let fields = [
            "session=1", "kept=2; Max-Age=60", "wide=3; Domain=example.com",
            "secret=4; HttpOnly; Secure; Path=/x; Max-Age=60", "nameless",
            "=with=equals", "empty=", "tab=a\tb", "bytes=\u{FF}\u{80}",
        ]
        for field in fields {
            _ = try jar.receive(
                SetCookie([UInt8](latin1: field)), from: #require(RequestURI("https://www.example.com/")), now: now)
        }

        let (bytes, skipped) = NetscapeFile.write(jar.cookies)
        let content = NetscapeFile.read(bytes, now: now, suffixes: .system)

        func plain(_ cookies: [Cookie]) -> [Cookie] {
            cookies.map { cookie in
                var cookie = cookie
                (cookie.created, cookie.accessed) = (0, 0)
                return cookie
            }
        }
        #expect(skipped == 0 && content.errors.isEmpty)
        #expect(jar.count == 8)
        #expect(plain(content.cookies) == plain(jar.cookies))
    }

    @Test func `a file of curl is read`() {
        let text = """
            # Netscape HTTP Cookie File
            # https://curl.se/docs/http-cookies.html

            .example.com\tTRUE\t/\tFALSE\t1000000060\tname\tvalue
            #HttpOnly_www.example.com\tFALSE\t/path\tTRUE\t0\tsession\tx y\r
            example.com\tFALSE\t/\tFALSE\t0\tempty
            """

        let content = NetscapeFile.read(Array(text.utf8), now: now, suffixes: .system)

        #expect(content.errors == [])
        #expect(
            content.cookies == [
                Cookie(
                    id: .init(
                        domain: "example.com", isHostOnly: false, path: Array("/".utf8), name: Array("name".utf8)),
                    value: Array("value".utf8), expires: .seconds(1_000_000_060)),
                Cookie(
                    id: .init(
                        domain: "www.example.com", isHostOnly: true, path: Array("/path".utf8),
                        name: Array("session".utf8)),
                    value: Array("x y".utf8), isSecure: true, isHTTPOnly: true),
                Cookie(
                    id: .init(
                        domain: "example.com", isHostOnly: true, path: Array("/".utf8), name: Array("empty".utf8)),
                    value: []),
            ])
    }

    @Test func `invalid lines are reported by number, and the rest is read`() {
        let text = """
            a.com\tFALSE\t/\tFALSE\t0\ta\t1
            nonsense
            a.com\tMAYBE\t/\tFALSE\t0\ta\t1
            a.com\tFALSE\tx\tFALSE\t0\ta\t1
            a.com\tFALSE\t/\tFALSE\tsoon\ta\t1
            \tFALSE\t/\tFALSE\t0\ta\t1
            com\tTRUE\t/\tFALSE\t0\ta\t1
            a.com\tFALSE\t/\tFALSE\t0\t\t
            a.com\tFALSE\t/\tFALSE\t0\t__Secure-a\t1
            a.com\tFALSE\t/\tFALSE\t999\texpired\t1
            b.com\tFALSE\t/\tFALSE\t9999999999999\tb\t2
            """

        let content = NetscapeFile.read(Array(text.utf8), now: now, suffixes: .system)

        #expect(content.errors.map(\.line) == [2, 3, 4, 5, 6, 8, 9])
        #expect(content.cookies.map(\.id.domain) == ["a.com", "com", "b.com"])
        #expect(content.cookies.last?.expires == now + Cookie.longestLife)
    }

    @Test(arguments: [("a.com\nb.com", "/"), ("a.com", "/\n.b.com\tTRUE\t/\tFALSE\t0\tforged\t/x")])
    func `a cookie with a line break in host or path is not written`(host: String, path: String) throws {
        var jar = Jar()
        let uri = RequestURI(isSecure: false, host: host, path: Array(path.utf8))
        _ = try jar.receive(SetCookie(Array("a=b".utf8)), from: uri, now: now)

        let (bytes, skipped) = NetscapeFile.write(jar.cookies)
        let content = NetscapeFile.read(bytes, now: now, suffixes: .system)

        #expect(skipped == 1 && content == NetscapeFile.Content())
    }

    @Test func `a cookie with a tab in its name is not written`() throws {
        var jar = Jar()
        _ = try jar.receive(
            SetCookie(Array("a\tb=c".utf8)), from: #require(RequestURI("http://a.com/")), now: now)

        let (bytes, skipped) = NetscapeFile.write(jar.cookies)

        #expect(skipped == 1 && NetscapeFile.read(bytes, now: now, suffixes: .system).cookies.isEmpty)
    }
}
