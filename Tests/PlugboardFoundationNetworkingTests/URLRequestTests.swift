import Foundation
import FoundationNetworking
import PlugboardFoundationNetworking
import PlugboardMessages
import TestSupport
import Testing

/// Foundation's requests and responses, to and from Plugboard's.
@Suite struct URLRequestTests {
    private func foundationRequest(_ text: String = "https://a.test/x?y=%C3%A9") throws -> URLRequest {
        URLRequest(url: try #require(URL(string: text)))
    }

    @Test func `a URLRequest keeps its URL, method, fields and body`() async throws {
        var foundation = try foundationRequest()
        foundation.httpMethod = "PATCH"
        foundation.httpBody = Data("hello".utf8)
        foundation.setValue("text/plain", forHTTPHeaderField: "Content-Type")
        foundation.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        foundation.setValue("5", forHTTPHeaderField: "Content-Length")

        let request = try Request(foundation)

        #expect(request.url == "https://a.test/x?y=%C3%A9" && request.method == .patch)
        #expect(request.fields.map(\.name) == ["Authorization", "Content-Type"])
        #expect(request[.contentType] == "text/plain")
        #expect(request.fields.filter(\.isSecret).map(\.name) == ["Authorization"])
        #expect(request.body?.length == 5)
        #expect(request.body?.source.canRewind == true)
        #expect(try await request.body?.text() == "hello")
        #expect(!request.attributes.values.keys.contains { $0.hasPrefix("cookies.") })
    }

    @Test func `a plain URLRequest leaves timeouts, cache and body to the kernel`() throws {
        let request = try Request(foundationRequest())

        #expect(request.method == .get && request.body == nil && request.fields.isEmpty)
        #expect(request.options == RequestOptions() && request.attributes.isEmpty)
    }

    @Test func `the interval is the idle timeout`() throws {
        var foundation = try foundationRequest()
        var timeouts: [Duration?] = []
        for interval in [2.5, 60, 0, .greatestFiniteMagnitude] {
            foundation.timeoutInterval = interval
            timeouts.append(try Request(foundation).options.idleTimeout)
        }

        #expect(timeouts == [.milliseconds(2500), nil, nil, .seconds(31_536_000)])
    }

    @Test(arguments: [
        (URLRequest.CachePolicy.useProtocolCachePolicy, nil), (.reloadIgnoringLocalCacheData, "no-cache"),
        (.reloadRevalidatingCacheData, "no-cache"), (.returnCacheDataElseLoad, "max-stale"),
        (.returnCacheDataDontLoad, "only-if-cached, max-stale"),
    ])
    func `the cache policy is a directive of Cache-Control`(_ policy: URLRequest.CachePolicy, _ directive: String?)
        throws
    {
        var foundation = try foundationRequest()
        foundation.cachePolicy = policy
        let mapped = try Request(foundation)
        foundation.setValue("no-store", forHTTPHeaderField: "cache-control")
        let own = try Request(foundation)

        #expect(mapped[.cacheControl] == directive)
        #expect(own.fields.values(.cacheControl) == ["no-store"])
    }

    @Test func `a request without cookies says so to the plugin cookies`() throws {
        var foundation = try foundationRequest()
        foundation.httpShouldHandleCookies = false

        #expect(try Request(foundation).attributes == ["cookies.send": "false", "cookies.store": "false"])
    }

    @Test func `a URLRequest without a URL is refused`() throws {
        var foundation = try foundationRequest()
        foundation.url = nil

        #expect(throws: PlugboardError.self) { try Request(foundation) }
    }

    @Test func `a stream is the body, of the length that its field says`() async throws {
        let text = String(repeating: "0123456789", count: 20_000)
        var foundation = try foundationRequest()
        foundation.httpBodyStream = InputStream(data: Data(text.utf8))
        let unknown = try Request(foundation)
        foundation.httpBodyStream = InputStream(data: Data(text.utf8))
        foundation.setValue("200000", forHTTPHeaderField: "Content-Length")
        let known = try Request(foundation)

        #expect(unknown.body?.length == nil && known.body?.length == 200_000)
        #expect(known[.contentLength] == nil)
        #expect(try await unknown.body?.text() == text)
        #expect(try await known.body?.text() == text)
    }

    @Test(arguments: [3, 5]) func `a stream of another length than it says breaks the body`(_ length: Int) async throws
    {
        let body = Body.stream(InputStream(data: Data("four".utf8)), length: length)

        await #expect { try await body.text() } throws: { ($0 as? PlugboardError)?.code == .bodyRead }
    }

    @Test func `a stream of a file that does not exist breaks the body`() async throws {
        let stream = try #require(InputStream(fileAtPath: "/nowhere/\(UUID())"))

        await #expect { try await Body.stream(stream).text() } throws: { ($0 as? PlugboardError)?.code == .bodyRead }
    }

    @Test func `a request becomes a URLRequest, and its own body stays unread`() async throws {
        var request = Request(.put, "https://a.test/x", fields: ["X-One": "1", "X-Two": "a"], body: .text("hello"))
        request.fields.append("X-Two", "b")
        request.options.idleTimeout = .milliseconds(1500)
        request.attributes = ["cookies.send": "false", "cookies.store": "false"]

        let foundation = try await URLRequest(request)

        #expect(foundation.url?.absoluteString == "https://a.test/x" && foundation.httpMethod == "PUT")
        #expect(foundation.value(forHTTPHeaderField: "X-Two") == "a,b")
        #expect(foundation.httpBody == Data("hello".utf8))
        #expect(foundation.timeoutInterval == 1.5 && !foundation.httpShouldHandleCookies)
        #expect(try await request.body?.text() == "hello")
    }

    @Test func `a body beyond the limit makes no URLRequest`() async throws {
        let request = Request(.put, "https://a.test/x", body: .text("hello"))

        await #expect { try await URLRequest(request, upTo: .bytes(4)) } throws: {
            ($0 as? PlugboardError)?.code == .bodyLimit
        }
    }

    @Test func `a response becomes an HTTPURLResponse and data, and back`() async throws {
        var fields: Fields = ["Content-Type": "text/plain", "Set-Cookie": "a=1"]
        fields.append("set-cookie", "b=2")
        let response = Response(
            head: ResponseHead(status: 404, version: .http2, fields: fields), body: .text("no"), url: "https://a.test/x"
        )

        let (data, foundation) = try await response.foundation()
        let back = Response(foundation, data)

        #expect(data == Data("no".utf8) && foundation.statusCode == 404)
        #expect(foundation.url?.absoluteString == "https://a.test/x")
        #expect(foundation.value(forHTTPHeaderField: "content-type") == "text/plain")
        #expect(foundation.value(forHTTPHeaderField: "Set-Cookie") == "a=1, b=2")
        #expect(back.status == 404 && back.url == "https://a.test/x" && back[.contentType] == "text/plain")
        #expect(try await back.body.text() == "no")
    }

    @Test func `data and bytes keep their content, slices too`() {
        let data = Data([0, 1, 2, 255])

        #expect(Bytes(data).array == [0, 1, 2, 255])
        #expect(Bytes(data[1..<3]).array == [1, 2])
        #expect(Data(Bytes(data)) == data)
        #expect(Data(Bytes.empty).isEmpty && Bytes(Data()).isEmpty)
    }
}
