import Foundation
import TestSupport
import Testing

/// What is sent for the request items of a command line.
struct ItemTests {
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer.responding { _ in ServerResponse(body: "ok") } }

    private func sent(_ verb: String, _ items: String..., path: String = "/path") async throws -> ReceivedRequest {
        let outcome = try await Command.running([verb, server.url(path)] + items)
        #expect(outcome.status == 0, "\(outcome.stderr)")
        return try #require(server.requests.last)
    }

    @Test func `names and values make the members of an object`() async throws {
        let request = try await sent("post", "title=Lake", "size:=2.50", "tags:=[1, \"a\"]", "of=a=b:c")

        #expect(request.text == #"{"title":"Lake","size":2.50,"tags":[1,"a"],"of":"a=b:c"}"#)
        #expect(request["Content-Type"] == "application/json")
        #expect(request["Accept"] == "application/json")
    }

    @Test func `two equals signs make a parameter of the query`() async throws {
        let request = try await sent("get", "q==two words", "é&==", path: "/path?a=1#end")

        #expect(request.method == "GET" && request.body.isEmpty)
        #expect(request.target == "/path?a=1&q=two+words&%C3%A9%26=")
    }

    @Test func `a colon makes a header field, removes it or empties it`() async throws {
        let request = try await sent("get", "X-A:1", "X-A: 2", "Accept:", "X-Empty;", "Referer:http://a.test/?b=c")

        #expect(request.values("X-A") == ["1", "2"])
        #expect(request["Accept"] == nil)
        #expect(request["X-Empty"] == "")
        #expect(request["Referer"] == "http://a.test/?b=c")
    }

    @Test func `a field of an item replaces that of an option, and stands beside those of -H`() async throws {
        let request = try await sent("get", "User-Agent:own", "X-A:2", "-A", "other", "-H", "X-A: 1")

        #expect(request.values("User-Agent") == ["own"])
        #expect(request.values("X-A") == ["1", "2"])
    }

    @Test func `values are read from files`() async throws {
        let folder = try TemporaryFolder()
        let text = try folder.write("text", "a \"b\"\n")
        let json = try folder.write("json", "{\"n\": 1}")

        let request = try await sent("post", "t=@\(text)", "j:=@\(json)", "q==@\(json)", "X-T:@\(text)")

        #expect(request.text == #"{"t":"a \"b\"\n","j":{"n":1}}"#)
        #expect(request.target == "/path?q=%7B%22n%22%3A+1%7D")
        #expect(request["X-T"] == "a \"b\"")
    }

    @Test func `a file makes the body a form in parts`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("a.png", "content")

        let request = try await sent("post", "image@\(file)", "other@\(file);type=text/x", "title=Lake")

        #expect(request["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(
            request.text.contains("name=\"image\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\ncontent\r\n"))
        #expect(request.text.contains("name=\"other\"; filename=\"a.png\"\r\nContent-Type: text/x\r\n"))
        #expect(request.text.contains("name=\"title\"\r\n\r\nLake\r\n"))
    }

    @Test func `a file without a name is the whole body`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("a.png", "content")

        let request = try await sent("put", "@\(file)")

        #expect(request.text == "content" && request["Content-Type"] == "image/png")
    }

    @Test func `items are sent as a form`() async throws {
        let form = try await sent("post", "--as-form", "a b=1 & 2", "n:=3", "list[]=x", "list[]=y")
        let parts = try await sent("post", "--multipart", "a=1")

        #expect(form.text == "a+b=1+%26+2&n=3&list%5B%5D=x&list%5B%5D=y")
        #expect(form["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(parts["Content-Type"]?.hasPrefix("multipart/form-data") == true)
    }

    @Test(arguments: [
        (["a[b][c]=1", "a[b][d]:=2"], #"{"a":{"b":{"c":"1","d":2}}}"#),
        (["a[]=x", "a[]=y"], #"{"a":["x","y"]}"#), (["a[2]=z", "a[0]=x"], #"{"a":["x",null,"z"]}"#),
        (["a[][n]=1", "a[][n]=2"], #"{"a":[{"n":"1"},{"n":"2"}]}"#), (["[]=x", "[][b]:=1"], #"["x",{"b":1}]"#),
        ([#"a\[b\]=1"#], #"{"a[b]":"1"}"#), ([#"a[\1]=x"#], #"{"a":{"1":"x"}}"#),
        ([#"a\=b\:c=1"#, #"d\e=2"#], #"{"a=b:c":"1","d\\e":"2"}"#), (["a=1", "a=2"], #"{"a":"2"}"#),
    ])
    func `names with brackets are paths, and a backslash makes a character part of the name`(
        items: [String], body: String
    ) async throws {
        let outcome = try await Command.running(["post", server.url()] + items)

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(server.requests.last?.text == body)
    }

    @Test func `data of items is sent with the method of the verb`() async throws {
        let request = try await sent("get", "a=1")

        #expect(request.method == "GET" && request.text == #"{"a":"1"}"#)
    }

    @Test(arguments: [
        (["a=1", "-H", "A:", "secret"], "Word 2 beside the URL is no request item"), (["=secret"], "must have a name"),
        (["a:={"], "a:= the JSON cannot be read"), ([#"{"secret":1}"#], "written --json TEXT"),
        (["a[=1"], "the brackets of the name do not match"), (["a=1", "a[b]=2"], "a value of another kind: a single"),
        (["a[99999]=1"], "larger than 9999"),
        (["a\(String(repeating: "[b]", count: 64))=1"], "nested deeper than 64"),
        (["a=1", "-d", "x"], "A request has one body"),
        (["a=1", "--get"], "no other body"), (["@f", "a=1"], "@FILE is the whole body"),
        (["--as-form", "a:=[1]"], "a form has no lists"), (["--as-form"], "are for request items"),
    ])
    func `items that cannot be used are usage errors`(items: [String], message: String) async throws {
        let outcome = try await Command.running(["post", server.url()] + items)

        #expect(outcome.status == 2 && outcome.stderr.contains(message), "\(outcome.stderr)")
        #expect(!outcome.stderr.contains("secret"))
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [(":8080/x", "localhost:8080"), (":/x", "localhost"), (":", "localhost")])
    func `a URL that begins with a colon is one of localhost`(url: String, host: String) async throws {
        let outcome = try await Command.run("get", url, "-x", server.url())

        #expect(outcome.stdout == "ok")
        #expect(server.requests.last?["Host"] == host)
    }
}
