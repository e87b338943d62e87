import PlugboardMessages
import Testing

@Suite struct URLPartsTests {
    struct Row: Sendable {
        let text: String
        var scheme, authority, userinfo, host, port: String?
        var path = ""
        var query, fragment: String?
    }

    @Test(arguments: [
        Row(text: ""), Row(text: "a/b", path: "a/b"), Row(text: "mailto:x@y", scheme: "mailto", path: "x@y"),
        Row(
            text: "HTTP://u:p@A.Test:81/x?y#z", scheme: "HTTP", authority: "u:p@A.Test:81", userinfo: "u:p@",
            host: "A.Test", port: "81", path: "/x", query: "y", fragment: "z"),
        Row(text: "//h", authority: "h", host: "h"), Row(text: "//", authority: "", host: ""),
        Row(text: "//@h:", authority: "@h:", userinfo: "@", host: "h", port: ""),
        Row(text: "//a:1@b@c:2", authority: "a:1@b@c:2", userinfo: "a:1@b@", host: "c", port: "2"),
        Row(text: "//[::1]:80", authority: "[::1]:80", host: "[::1]", port: "80"),
        Row(text: "//[::1]", authority: "[::1]", host: "[::1]"),
        Row(text: "//a]:b", authority: "a]:b", host: "a]", port: "b"),
        Row(text: "//a:b:c", authority: "a:b:c", host: "a:b", port: "c"),
        Row(text: "http://h?q@x:1", scheme: "http", authority: "h", host: "h", query: "q@x:1"),
        Row(text: "http://h#f?q", scheme: "http", authority: "h", host: "h", fragment: "f?q"),
        Row(text: "?#", query: "", fragment: ""), Row(text: "x?y:z", path: "x", query: "y:z"),
        Row(
            text: "//h\u{301}/\u{301}?\u{301}", authority: "h\u{301}", host: "h\u{301}", path: "/\u{301}",
            query: "\u{301}"),
    ])
    func `a text is divided into its parts`(row: Row) throws {
        let parts = try #require(URLParts(row.text))

        #expect(parts.text == row.text)
        #expect(parts.scheme.map(String.init) == row.scheme)
        #expect(parts.authority.map(String.init) == row.authority)
        #expect(parts.userinfo.map(String.init) == row.userinfo)
        #expect(parts.host.map(String.init) == row.host)
        #expect(parts.port.map(String.init) == row.port)
        #expect(Array(parts.path.utf8) == Array(row.path.utf8))
        #expect(parts.query.map(String.init) == row.query)
        #expect(parts.fragment.map(String.init) == row.fragment)
        #expect(row.text[parts.pathStart...].utf8.starts(with: row.path.utf8))
    }

    @Test(arguments: [":", "1a:b", "[::1]:80/", "a b:c", "\u{e9}:x", "127.0.0.1:80/"])
    func `a text with an invalid scheme has no parts`(text: String) {
        #expect(URLParts(text) == nil)
    }

    @Test(arguments: [
        ("http://a.test", ""), ("http://a.test/", "/"), ("http://a.test/a/b?/./", "/a/b"),
        ("http://a.test/a/./b/../c", "/a/c"), ("http://a.test/a/..", "/"), ("http://a.test/../../a", "/a"),
        ("http://a.test/a/%2E%2e/b%2Fc", "/b%2Fc"), ("http://a.test/.hidden/...", "/.hidden/..."), ("x/../y", "y"),
    ])
    func `a path without dot segments keeps everything else as it is written`(text: String, path: String) throws {
        #expect(try #require(URLParts(text)).pathWithoutDotSegments == path)
    }

    @Test func `bytes that no URL can hold are escaped, and no others`() throws {
        let bytes: [UInt8] = Array("/\u{fc} %zz/%7e?a=b c#\u{1}".utf8) + [0xFF]

        let parts = try #require(bytes.withUnsafeBytes { URLParts(escaping: $0) })

        #expect(parts.text == "/%C3%BC%20%zz/%7e?a=b%20c#%01%FF")
        #expect(parts.path == "/%C3%BC%20%zz/%7e" && parts.query == "a=b%20c" && parts.fragment == "%01%FF")
        #expect(Array("1a:b".utf8).withUnsafeBytes { URLParts(escaping: $0) } == nil)
    }
}
