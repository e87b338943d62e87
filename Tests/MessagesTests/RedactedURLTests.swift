import PlugboardMessages
import Testing

struct RedactedURLTests {
    @Test(arguments: [
        ("https://example.com/", "https://example.com/"),
        ("https://user:secret@example.com/path", "https://example.com/path"),
        ("https://user@example.com", "https://example.com"),
        ("https://a@b:c@example.com/x@y", "https://example.com/x@y"),
        ("//user:secret@example.com/", "//example.com/"),
        (#"https://us\er:secret@example.com/"#, "https://example.com/"),
        ("https://example.com/?token=secret", "https://example.com/?token=…"),
        ("https://example.com/?a=1&b=2&c", "https://example.com/?a=…&b=…&…"),
        ("https://example.com/?a=1=2", "https://example.com/?a=…"),
        ("https://example.com/?a=1;b=2", "https://example.com/?a=…"),
        ("https://example.com/?secret", "https://example.com/?…"),
        ("https://example.com/?", "https://example.com/?"),
        ("https://example.com/?a=&&", "https://example.com/?a=…&&"),
        ("https://example.com/#secret", "https://example.com/"),
        ("https://example.com/?a=1#secret?b=2", "https://example.com/?a=…"),
        ("https://example.com?next=https://u:p@other/", "https://example.com?next=…"),
        ("https://example.com/a/http://u:p@other/", "https://example.com/a/http://u:p@other/"),
        ("/path?key=value", "/path?key=…"),
        ("mailto:me@example.com", "example.com"),
        ("https://caf\u{e9}:pw@example.com/\u{e9}", "https://example.com/\u{e9}"),
        ("https://example.com/?\u{301}=secret#\u{301}x", "https://example.com/?\u{301}=…"),
        ("https://u:p@\u{301}example.com/?a=\u{301}b", "https://\u{301}example.com/?a=…"),
        ("http:/u:p@h.test/", "http:/h.test/"), ("http:///u:p@h.test/", "http:///h.test/"),
        (#"http:\\u:p@h.test/"#, #"http:\\h.test/"#), (#"http:/\u:p@h.test/"#, #"http:/\h.test/"#),
        (#"\\u:p@h.test/"#, #"\\h.test/"#), ("///u:p@h.test", "///h.test"), ("http:u:p@h.test/x", "h.test/x"),
        ("u:p@h.test", "h.test"), ("u:p@h.test/x@y", "h.test/x@y"), ("h.test/x@y", "h.test/x@y"),
        ("http://u:p/w@h.test/", "http://h.test/"), ("http://u:p?w@h.test/?a=b", "http://h.test/?a=…"),
        ("http://u:p#w@h.test/", "http://h.test/"), ("http://h.test:80/@me", "http://h.test:80/@me"),
        ("http://[::1]:80/@me", "http://[::1]:80/@me"), ("http://h.test/@me?a=b@c", "http://h.test/@me?a=…"),
        ("/@me", "/@me"), (" http://u:p@h.test/", " http://h.test/"),
        ("@//u:p@h.test/", "//h.test/"), ("http://@/u:p@h.test/", "http:///h.test/"), ("@//:@", "//"),
        ("@http://u:p@h.test/", "http://h.test/"), ("secret@https://h.test/", "https://h.test/"),
        ("u\np@https://", "https://"), ("http://a@b:c/d@h.test", "http://h.test"),
        ("", ""), ("?", "?"), ("/", "/"), ("//", "//"), ("#", ""),
    ])
    func `a printed URL holds neither user nor values of the query nor a fragment`(url: String, printed: String) {
        let text = Printable.url(url)

        #expect(text == printed)
        #expect(Printable.url(text) == text)
    }

    @Test func `a query that may be shown keeps its values, and the user is still gone`() {
        let url = "https://user:secret@example.com/?a=1&b#part"

        let text = Printable.url(url, showingQuery: true)

        #expect(text == "https://example.com/?a=1&b")
    }
}
