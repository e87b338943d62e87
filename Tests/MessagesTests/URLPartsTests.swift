import Messages
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
}
