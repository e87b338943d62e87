import PlugboardMessages
import Testing

struct ReflectionTests {
    @Test func `a request that is printed or dumped shows no secret`() {
        var request = Request(
            .get, "https://user:hunter2@a.test/?key=hunter2",
            fields: ["Authorization": "hunter2", "Accept": "text/plain", "X-\u{1B}": "\u{1B}[2J"])
        request.attributes["authentication.token"] = "hunter2"
        request.options.proxy = "http://user:hunter2@proxy.test:80"

        let texts = texts(of: request) + texts(of: request.options) + texts(of: request.attributes)

        for text in texts {
            #expect(!text.contains("hunter2") && !text.contains("\u{1B}"), "\(text)")
        }
        #expect(texts[0].contains("text/plain") && texts[0].contains("https://a.test/?key=…"))
        #expect(texts[0].contains("http://proxy.test:80"))
    }

    @Test func `a printed request is lines for people`() {
        var request = Request(
            .post, "https://a.test/orders?draft=1", fields: ["Authorization": "hunter2", "Accept": "text/plain"],
            body: .text("order"))
        request.attributes["retry.attempts"] = "5"
        request.options.proxy = "http://user:hunter2@proxy.test:80"
        request.options.tls.verify = false

        #expect(
            "\(request)" == """
                POST https://a.test/orders?draft=…
                Authorization: <redacted>
                Accept: text/plain
                body: 5 bytes
                attributes: retry.attempts
                options: proxy http://proxy.test:80, tls.verify false
                """)
        #expect("\(Request(.get, "https://a.test/"))" == "GET https://a.test/")
    }

    @Test func `secret fields of a response are not printed`() {
        let head = ResponseHead(status: 200, fields: ["Set-Cookie": "a=hunter2", "Server": "x"])

        for text in texts(of: head) + texts(of: head.fields[0]) { #expect(!text.contains("hunter2"), "\(text)") }
    }

    @Test func `an error that is printed or dumped shows nothing of the response`() {
        var error = PlugboardError(.responseStatus, "The status is 404.", plugin: "a", underlying: "b")
        let excerpt = ResponseExcerpt(
            head: ResponseHead(status: 404), url: "https://a.test/?key=hunter2", firstBytes: Bytes("hunter2"),
            isWhole: true)
        error.response = excerpt

        for text in texts(of: error) + texts(of: excerpt) {
            #expect(!text.contains("hunter2") && !text.contains("104, 117"), "\(text)")
        }
        #expect(texts(of: error)[2].contains("The status is 404."))
    }

    @Test func `a proxy that is set is used`() {
        var options = RequestOptions()
        options.proxy = "http://user:hunter2@proxy.test:80"

        #expect(options.proxy == "http://user:hunter2@proxy.test:80")
        #expect(options.over(RequestOptions()) == options && RequestOptions().over(options) == options)
    }

    private func texts(of value: some Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return ["\(value)", String(reflecting: value), dumped, "\([value])"]
    }
}
