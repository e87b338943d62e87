import TestSupport
import Testing

@testable import PlugboardCookies

/// What a jar gives to its file, and gets from it.
extension JarTests {
    @Test func `the changes for a file contain persistent cookies and removed ones only`() {
        var jar = Jar()
        for field in ["a=1; Max-Age=60", "b=2", "c=3; Max-Age=60"] {
            #expect(refuses(&jar, field, "http://example.com/") == nil)
        }

        let first = jar.takeChanges()
        #expect(refuses(&jar, "a=4", "http://example.com/") == nil)
        #expect(refuses(&jar, "c=; Max-Age=0", "http://example.com/") == nil)
        let second = jar.takeChanges()

        #expect(Set(first.written.map { String(latin1: $0.id.name) }) == ["a", "c"] && first.removed.isEmpty)
        #expect(second.written.isEmpty && Set(second.removed.map { String(latin1: $0.name) }) == ["a", "c"])
        #expect(jar.takeChanges().isEmpty)
    }

    @Test func `loading a file keeps unsaved cookies and those of the session`() {
        var mine = Jar()
        var other = Jar()
        for field in [
            "both=file; Max-Age=60", "gone=file; Max-Age=60", "kept=file; Max-Age=60", "session=file; Max-Age=60",
        ] {
            #expect(refuses(&other, field, "http://example.com/") == nil)
        }
        mine.load(other.cookies, now: now)
        #expect(mine.takeChanges().isEmpty)
        for field in ["both=mine; Max-Age=60", "session=mine"] {
            #expect(refuses(&mine, field, "http://example.com/") == nil)
        }

        mine.load(other.cookies.filter { $0.id.name != Array("gone".utf8) }, now: now)

        #expect(sent(&mine, "http://example.com/") == "both=mine; kept=file; session=mine")
        #expect(Set(mine.takeChanges().ids.map { String(latin1: $0.name) }) == ["both", "session"])
    }

    @Test func `a cookie for a domain that is a public suffix now is not loaded from a file`() throws {
        var jar = Jar()
        let id = Cookie.ID(domain: "com", isHostOnly: false, path: [0x2F], name: [0x61])

        jar.load([Cookie(id: id, value: [], expires: now + .seconds(60))], now: now)

        #expect(jar.isEmpty)
    }
}
