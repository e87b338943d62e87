import HTTPTypes
import PlugboardHTTPTypes
import PlugboardMessages
import Testing

/// The ecosystem's message types, to and from Plugboard's.
struct HTTPTypesTests {
    @Test func `a request keeps its method, URL, fields and body`() async throws {
        var head = HTTPRequest(
            method: .post, scheme: "https", authority: "a.test:8443", path: "/x?y=1",
            headerFields: [.accept: "text/plain", .authorization: "Bearer secret"])
        head.headerFields.append(HTTPField(name: .accept, value: "text/html"))

        let request = try #require(Request(head, body: .text("hello")))

        #expect(request.method == .post)
        #expect(request.url == "https://a.test:8443/x?y=1")
        #expect(request.fields.values("accept") == ["text/plain", "text/html"])
        #expect(request.fields.count == 3)
        // What is secret is known by its name.
        #expect(request.fields.filter(\.isSecret).map(\.value) == ["Bearer secret"])
        #expect(try await request.body?.text() == "hello")
    }

    @Test func `a head without scheme, authority or path makes no request`() {
        let whole = HTTPRequest(method: .get, scheme: "http", authority: "a.test", path: "/")
        var incomplete = [whole, whole, whole]
        incomplete[0].scheme = nil
        incomplete[1].authority = nil
        incomplete[2].path = nil

        #expect(Request(whole) != nil)
        #expect(incomplete.allSatisfy { Request($0) == nil })
    }

    @Test func `a method of one's own stays what it is`() throws {
        let method = try #require(HTTPRequest.Method("PURGE"))
        let head = HTTPRequest(method: method, scheme: "http", authority: "a.test", path: "/")

        #expect(Request(head)?.method == "PURGE")
        #expect(Method(.patch) == .patch)
    }

    @Test func `a field's bytes stay what they are`() throws {
        let name = try #require(HTTPField.Name("X-Word"))
        var headers = HTTPFields()
        headers.append(HTTPField(name: name, value: [0x63, 0x61, 0x66, 0xE9] as [UInt8]))

        let fields = Fields(headers)

        #expect(fields.withField(0) { Array($1) } == [0x63, 0x61, 0x66, 0xE9])
        #expect(fields["x-word"] == "caf\u{E9}")
        #expect(fields.map(\.name) == ["X-Word"])
    }

    @Test func `a response's head keeps its status, reason, fields and duplicates`() {
        let head = ResponseHead(
            status: 404, reason: "Gone Fishing",
            fields: ["Set-Cookie": "a=1", "Content-Type": "text/plain", "set-cookie": "b=2"])

        let response = Response(head: head).httpResponse

        #expect(response.status.code == 404)
        #expect(response.status.reasonPhrase == "Gone Fishing")
        #expect(response.headerFields.map(\.value) == ["a=1", "text/plain", "b=2"])
        #expect(response.headerFields[values: .setCookie] == ["a=1", "b=2"])
    }

    @Test func `fields whose names are not tokens are left out`() {
        let fields: Fields = ["good": "1", "not good": "2", "": "3", ":path": "4"]

        #expect(fields.httpFields.map(\.value) == ["1"])
    }

    @Test func `fields come back as they went`() {
        let fields: Fields = ["B": "1", "a": "2", "b": "3"]

        let back = Fields(fields.httpFields)

        #expect(back.map(\.name) == ["B", "a", "b"])
        #expect(back.map(\.value) == ["1", "2", "3"])
    }

    @Test func `a field's name is the same name`() {
        #expect(FieldName(HTTPField.Name.contentType) == .contentType)
    }
}
