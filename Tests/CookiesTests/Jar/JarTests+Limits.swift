import TestSupport
import Testing

@testable import PlugboardCookies

/// The limits of a jar.
extension JarTests {
    @Test func `a domain with too many cookies loses the expired, then the insecure, then the least recently used`() {
        var jar = Jar(limits: Jar.Limits(perDomain: 4, total: 100))
        let url = "https://example.com/"
        for field in [
            "old=1; Path=/1", "secure=2; Secure; Path=/2", "short=3; Max-Age=1; Path=/3", "used=4; Path=/4",
            "new=5; Path=/5",
        ] {
            #expect(refuses(&jar, field, url) == nil)
        }
        #expect(names(jar) == ["new", "secure", "short", "used"])
        _ = sent(&jar, "https://example.com/4")

        #expect(refuses(&jar, "late=6; Path=/6", url, at: now + .seconds(2)) == nil)
        let afterExpiry = names(jar)
        #expect(refuses(&jar, "later=7; Path=/7", url, at: now + .seconds(2)) == nil)

        #expect(afterExpiry == ["late", "new", "secure", "used"])
        #expect(names(jar) == ["late", "later", "secure", "used"])
        #expect(jar.evictions == 2)
    }

    @Test func `a full jar removes cookies of crowded domains first`() {
        var jar = Jar(limits: Jar.Limits(perDomain: 1000, total: 100))
        #expect(refuses(&jar, "a=b", "http://small.com/") == nil)
        for number in 0..<100 { #expect(refuses(&jar, "a\(number)=b", "http://crowded.com/") == nil) }

        #expect(sent(&jar, "http://small.com/") == "a=b")
        #expect(jar.count <= 100 && jar.count > 90)
    }

    @Test func `many hosts of one site push out no cookie of another`() {
        var jar = Jar()
        #expect(refuses(&jar, "a=b", "http://small.com/") == nil)
        for host in 0..<70 {
            for number in 0..<50 { #expect(refuses(&jar, "a\(number)=b", "http://h\(host).evil.com/") == nil) }
        }

        #expect(jar.count == 181)
        #expect(sent(&jar, "http://small.com/") == "a=b")
    }

    @Test func `a full jar removes cookies of crowded sites first, whatever their hosts`() {
        var jar = Jar(limits: Jar.Limits(perDomain: 1000, total: 100))
        #expect(refuses(&jar, "a=b", "http://small.com/") == nil)
        for number in 0..<100 { #expect(refuses(&jar, "a=b", "http://h\(number).crowded.com/") == nil) }

        #expect(sent(&jar, "http://small.com/") == "a=b")
        #expect(jar.count <= 100 && jar.count > 90)
    }

    @Test func `ten thousand cookies of one response, and of ten thousand hosts, stay within the limits`() {
        var jar = Jar()
        for number in 0..<10_000 { #expect(refuses(&jar, "a\(number)=b", "http://evil.com/") == nil) }
        #expect(jar.count == 180)

        for number in 0..<10_000 { #expect(refuses(&jar, "a=b", "http://h\(number).com/") == nil) }

        #expect(jar.count <= 3000)
        #expect(sent(&jar, "http://h9999.com/") == "a=b")
    }
}
