import TestSupport
import Testing

@testable import PlugboardCookies

/// RFC 6265bis §5.7 and §5.8.3.
struct JarTests {
    let now = Duration.seconds(1_000_000_000)

    @Test(
        arguments: [
            ("http://example.com/", "=", .empty), ("http://example.com/", "", .empty),
            ("http://example.com/", "a=b; Domain=ex\u{E4}mple.com", .domainNotASCII),
            ("http://example.com/", "a=b; Domain=com", .publicSuffix),
            ("http://www.example.co.uk/", "a=b; Domain=co.uk", .publicSuffix),
            ("http://example.com/", "a=b; Domain=www.example.com", .foreignDomain),
            ("http://example.com/", "a=b; Domain=other.com", .foreignDomain),
            ("http://example.com/", "a=b; Domain=example.com.", .foreignDomain),
            ("http://badexample.com/", "a=b; Domain=example.com", .foreignDomain),
            ("http://1.2.3.4/", "a=b; Domain=3.4", .foreignDomain),
            ("http://1.2.3.4/", "a=b; Domain=.2.3.4", .foreignDomain),
            ("http://example.com/", "a=b; Secure", .insecureConnection),
            ("https://example.com/", "a=b; SameSite=None", .sameSiteNone),
            ("https://example.com/", "__Secure-a=b", .prefix), ("http://example.com/", "__SECURE-a=b", .prefix),
            ("https://example.com/", "__Host-a=b; Secure", .prefix),
            ("https://example.com/", "__host-a=b; Secure; Path=/; Domain=example.com", .prefix),
            ("https://example.com/", "__Host-a=b; Path=/", .prefix),
            ("https://example.com/", "__Host-a=b; Secure; Path=/b", .prefix),
            ("https://example.com/", "__Http-a=b; Secure", .prefix),
            ("https://example.com/", "__Http-a=b; HttpOnly", .prefix),
            ("https://example.com/", "__Host-Http-a=b; Secure; Path=/", .prefix),
            ("https://example.com/", "=__Secure-a; Secure", .prefix),
            ("https://example.com/", "__Host-a; Secure; Path=/", .prefix),
            ("https://example.com/", "=__hOST-a=b; Secure; Path=/", .prefix),
            ("https://example.com/", "__http-a=b; Secure; HttpOnly; Path=/x", nil),
        ] as [(String, String, Refusal?)])
    func `a cookie that breaks a rule is refused`(url: String, field: String, refusal: Refusal?) throws {
        var jar = Jar()

        #expect(refuses(&jar, field, url) == refusal)
        #expect(jar.isEmpty == (refusal != nil))
    }

    @Test(
        arguments: [
            ("http://example.com/", "a=b"), ("http://example.com/", "a"), ("http://example.com/", "=a=b"),
            ("http://localhost/", "a=b; Domain=localhost"), ("http://com/", "a=b; Domain=com"),
            ("http://1.2.3.4/", "a=b; Domain=1.2.3.4"),
            ("http://example.com/", "a=b; Domain=."), ("http://example.com/", "a=b; Domain="),
            ("http://www.example.com/", "a=b; Domain=.EXAMPLE.com"),
            ("https://example.com/", "a=b; SameSite=None; Secure"),
            ("https://example.com/", "__Secure-a=b; Secure; Domain=example.com"),
            ("https://example.com/", "__Host-a=b; Secure; Path=/"),
            ("https://example.com/", "__Host-a=b; Secure; Path=; Domain="),
            ("https://example.com/", "__Host-Http-a=b; Secure; Path=/; HttpOnly"),
            ("http://example.com/", "__Secur-a=b"),
            ("http://example.com/", "a=__Host-b"),
        ] as [(String, String)])
    func `a valid cookie is stored, and sent back to its URL`(url: String, field: String) throws {
        var jar = Jar()

        #expect(refuses(&jar, field, url) == nil)
        #expect(sent(&jar, url) != nil)
    }

    @Test(
        arguments: [
            // Without a domain the cookie is for this host only; with one, for its subdomains too.
            ("http://example.com/", "a=b", "http://example.com/", true),
            ("http://example.com/", "a=b", "http://www.example.com/", false),
            ("http://www.example.com/", "a=b; Domain=example.com", "http://other.example.com/", true),
            ("http://www.example.com/", "a=b; Domain=example.com", "http://example.com:81/", true),
            ("http://example.com/", "a=b; Domain=example.com", "http://example.com./", true),
            // A domain that is the host and a public suffix gives a host-only cookie.
            ("http://com/", "a=b; Domain=com", "http://example.com/", false),
            ("http://co.uk/", "a=b; Domain=co.uk", "http://example.co.uk/", false),
            // Addresses have no subdomains.
            ("http://1.2.3.4/", "a=b; Domain=1.2.3.4", "http://0.1.2.3.4.example/", false),
            ("http://0x7f.1/", "a=b; Domain=127.0.0.1", "http://127.0.0.1/", true),
            // A secure cookie is sent over https only, on any port.
            ("https://example.com/", "a=b; Secure", "http://example.com/", false),
            ("https://example.com/", "a=b; Secure", "https://example.com:1/", true),
            ("https://example.com/", "a=b", "http://example.com/", true),
            // Paths.
            ("http://example.com/a/b", "a=b", "http://example.com/a", true),
            ("http://example.com/a/b", "a=b", "http://example.com/b", false),
            ("http://example.com/", "a=b; Path=/x", "http://example.com/xy", false),
            ("http://example.com/", "a=b; Path=/x", "http://example.com/x?y", true),
        ] as [(String, String, String, Bool)])
    func `a cookie is sent to matching requests only (§5.8.3 step 1)`(
        from: String, field: String, to: String, isSent: Bool
    ) throws {
        var jar = Jar()

        #expect(refuses(&jar, field, from) == nil)
        #expect((sent(&jar, to) == "a=b") == isSent)
    }

    @Test func `longer paths come first, then older cookies, and a new value keeps its position`() {
        var jar = Jar()
        for field in [
            "a=1; Path=/", "b=2; Path=/x", "c=3; Path=/", "d=4; Domain=example.com; Path=/x/", "nameless; Path=/",
            "e=; Path=/",
        ] {
            #expect(refuses(&jar, field, "http://www.example.com/") == nil)
        }
        #expect(refuses(&jar, "a=5; Path=/", "http://www.example.com/") == nil)

        #expect(sent(&jar, "http://www.example.com/x/y") == "d=4; b=2; a=5; c=3; nameless; e=")
        #expect(sent(&jar, "http://www.example.com/") == "a=5; c=3; nameless; e=")
    }

    @Test func `cookies with another name, domain, path or host-only flag are different cookies`() {
        var jar = Jar()
        for field in ["a=1", "a=2; Path=/x", "a=3; Domain=www.example.com", "a=4; Domain=example.com", "A=5", "a=6"] {
            #expect(refuses(&jar, field, "http://www.example.com/") == nil)
        }

        #expect(jar.count == 5)
        #expect(sent(&jar, "http://www.example.com/x") == "a=2; a=6; a=3; a=4; A=5")
    }

    @Test(
        arguments: [
            ("Max-Age=10", 10), ("Max-Age=0", nil), ("Max-Age=-5", nil), ("Max-Age=99999999999999999999", 400 * 86_400),
            ("Expires=Sun, 09 Sep 2001 01:46:41 GMT", 1), ("Expires=Sun, 09 Sep 2001 01:46:40 GMT", nil),
            ("Expires=Fri, 31 Dec 9999 23:59:59 GMT", 400 * 86_400), ("Expires=Mon, 01 Jan 1601 00:00:00 GMT", nil),
            // Max-Age takes precedence over Expires, in any order.
            ("Max-Age=10; Expires=Mon, 01 Jan 1601 00:00:00 GMT", 10),
            ("Expires=Fri, 31 Dec 9999 23:59:59 GMT; Max-Age=0", nil),
        ] as [(String, Int?)])
    func `a cookie lives until it expires, and at most 400 days`(attributes: String, seconds: Int?) {
        var jar = Jar()
        #expect(refuses(&jar, "a=b; \(attributes)", "http://example.com/") == nil)

        let last = now + .seconds(seconds ?? 0)

        #expect(sent(&jar, "http://example.com/", at: last - .nanoseconds(1)) == (seconds == nil ? nil : "a=b"))
        #expect(sent(&jar, "http://example.com/", at: last) == nil)
        #expect(jar.isEmpty)
    }

    @Test func `a cookie of the session stays, and an expired cookie removes the stored one`() {
        var jar = Jar()
        #expect(refuses(&jar, "a=b", "http://example.com/") == nil)
        #expect(sent(&jar, "http://example.com/", at: now + .seconds(1_000_000_000)) == "a=b")

        #expect(refuses(&jar, "a=; Max-Age=0", "http://example.com/") == nil)

        #expect(jar.isEmpty)
    }

    @Test func `a clock that jumps back changes neither the order nor the content`() {
        var jar = Jar()
        #expect(refuses(&jar, "a=1; Max-Age=60", "http://example.com/") == nil)
        #expect(refuses(&jar, "b=2", "http://example.com/", at: now - .seconds(86_400)) == nil)
        #expect(refuses(&jar, "c=3; Max-Age=60", "http://example.com/", at: .zero) == nil)

        #expect(sent(&jar, "http://example.com/", at: .zero) == "a=1; b=2; c=3")
    }

    @Test(
        arguments: [
            ("http://example.com/login", "a=2; Path=/login", true), ("http://example.com/login/x", "a=2", true),
            ("http://www.example.com/", "a=2; Domain=example.com; Path=/login/deeper", true),
            // A parent path, from which the secure cookie is not hidden, and a sibling path.
            ("http://example.com/", "a=2", false), ("http://example.com/", "a=2; Path=/other", false),
            // Another name, and another domain.
            ("http://example.com/login", "b=2; Path=/login", false), ("http://example.org/", "a=2; Path=/login", false),
            // A secure URL may set every cookie.
            ("https://example.com/", "a=2; Path=/login", false),
        ] as [(String, String, Bool)])
    func `an insecure cookie does not replace a secure one (§5.7 step 16)`(
        url: String, field: String, isRefused: Bool
    ) {
        var jar = Jar()
        #expect(refuses(&jar, "a=1; Secure; Domain=example.com; Path=/login", "https://example.com/") == nil)

        #expect(refuses(&jar, field, url) == (isRefused ? .hidesSecureCookie : nil))
    }

    @Test func `an insecure cookie at a deeper path, a parent or a child domain cannot hide a secure one`() {
        for (domain, url) in [
            ("example.com", "http://example.com/x"), ("example.com", "http://www.example.com/"),
            ("www.example.com", "http://www.example.com/"),
        ] {
            var jar = Jar()
            #expect(refuses(&jar, "a=1; Secure; Domain=\(domain); Path=/", "https://www.example.com/") == nil)

            #expect(refuses(&jar, "a=2", url) == .hidesSecureCookie)
            #expect(refuses(&jar, "a=2; Domain=example.com; Path=/deeper", url) == .hidesSecureCookie)
            #expect(sent(&jar, "https://www.example.com/") == "a=1")
        }
    }

    @Test func `an expired secure cookie can be replaced, and its replacement has a new creation time`() {
        var jar = Jar()
        for field in ["a=1; Secure; Max-Age=1", "b=2"] {
            #expect(refuses(&jar, field, "https://example.com/") == nil)
        }
        let later = now + .seconds(2)

        #expect(refuses(&jar, "a=3", "http://example.com/", at: later) == nil)

        #expect(sent(&jar, "http://example.com/", at: later) == "b=2; a=3")
    }

    @Test func `an insecure cookie of a parent domain does not hide a secure cookie of a subdomain`() {
        var jar = Jar()
        for url in ["https://a.b.example.com/", "https://other.com/"] {
            #expect(refuses(&jar, "a=1; Secure", url) == nil)
        }

        let before = refuses(&jar, "a=2; Domain=example.com", "http://b.example.com/")
        #expect(refuses(&jar, "a=; Secure; Max-Age=0", "https://a.b.example.com/") == nil)
        let after = refuses(&jar, "a=2; Domain=example.com", "http://b.example.com/")

        #expect(before == .hidesSecureCookie && after == nil)
        #expect(sent(&jar, "https://a.b.example.com/") == "a=2")
    }

    @Test func `secure cookies of subdomains are found by name`() {
        var jar = Jar()
        for number in 0..<50 {
            #expect(refuses(&jar, "n\(number)=1; Secure", "https://h\(number).example.com/") == nil)
        }

        let found = (0..<50).map { refuses(&jar, "n\($0)=2; Domain=example.com", "http://example.com/") }
        let others = (0..<50).map { refuses(&jar, "o\($0)=2; Domain=example.com", "http://example.com/") }

        #expect(found.allSatisfy { $0 == .hidesSecureCookie } && others.allSatisfy { $0 == nil })
    }

    func refuses(_ jar: inout Jar, _ field: String, _ url: String, at time: Duration? = nil) -> Refusal? {
        guard let uri = RequestURI(url) else { return .foreignDomain }
        do throws(Refusal) {
            _ = try jar.receive(try SetCookie([UInt8](latin1: field)), from: uri, now: time ?? now)
            return nil
        } catch {
            return error
        }
    }

    func sent(_ jar: inout Jar, _ url: String, at time: Duration? = nil) -> String? {
        RequestURI(url).flatMap { jar.field(for: $0, now: time ?? now) }.map { String(latin1: $0) }
    }

    func names(_ jar: Jar) -> [String] { jar.cookies.map { String(latin1: $0.id.name) }.sorted() }
}
