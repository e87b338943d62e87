import Plugboard
import TestSupport
import Testing

struct MediaTypeTests {
    @Test func `type and parameters are read, in any case and with quotes`() throws {
        let type = try #require(MediaType("  Text/HTML ; Charset=\"utf-8\\\"x\" ;q ; boundary=a;b=\"open"))

        #expect(type.name == "text/html")
        #expect(type["charset"] == "utf-8\"x" && type["boundary"] == "a" && type["b"] == "open" && type["q"] == nil)
    }

    @Test(arguments: ["", "text", "text/", "/html", "text html", ";charset=a", "\u{0}/\u{0}"])
    func `what is no type is none`(text: String) {
        #expect(MediaType(text) == nil)
    }

    @Test(arguments: [
        ("application/json", true), ("Application/JSON; q=1", true), ("application/*", true), ("*/*", true),
        ("*/*+json", false), ("text/*", false), ("", false), ("*", false),
    ])
    func `a pattern is a type, all subtypes of a type, or all types`(pattern: String, fits: Bool) {
        #expect(MediaType("application/json")?.matches(pattern) == fits)
    }

    @Test func `a suffix stands for all types that end in it`() {
        #expect(MediaType("application/vnd.acme+json; v=1")?.matches("*/*+json") == true)
        #expect(MediaType("application/vnd.acme+xml")?.matches("*/*+json") == false)
    }

    @Test(arguments: nastyShapes.indices)
    func `reading takes time that grows with the text`(index: Int) {
        let shape = nastyShapes[index]
        expectLinearTime(shape.name, input: { "a/b;" + shape.make($0) }, read: { _ = MediaType($0) })
    }

    @Test(arguments: [
        ("/x.d/a.JPG", "image/jpeg"), ("a.tar.gz", "application/gzip"), ("a.json", "application/json"),
        ("a", "application/octet-stream"), (".", "application/octet-stream"), ("a.", "application/octet-stream"),
        ("a.png/b", "application/octet-stream"), ("a.\u{301}", "application/octet-stream"),
        ("ä.pdf", "application/pdf"),
    ])
    func `a file has the type of its extension`(path: String, type: String) {
        #expect(MediaType.name(ofFile: path) == type)
    }
}
