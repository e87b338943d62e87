import Foundation
import FoundationNetworking
import Plugboard
import PlugboardFoundationNetworking
import TestSupport
import Testing

/// Code written for `URLSession`, on a kernel.
@Suite struct URLSessionMannerTests {
    private let server: LoopbackServer
    private let kernel: Kernel

    init() throws {
        server = try LoopbackServer(
            .responding { request in
                ServerResponse(
                    status: 201, fields: [("X-Method", request.method)],
                    body: request.body.isEmpty ? Array("hello".utf8) : request.body)
            })
        kernel = try Kernel()
    }

    private func request(_ method: String = "GET") throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: server.url("/x"))))
        request.httpMethod = method
        return request
    }

    @Test func `data of a request and of a URL`() async throws {
        let (data, response) = try await kernel.data(for: request("DELETE"))
        let (same, other) = try await kernel.data(from: try #require(URL(string: server.url())))

        #expect(String(decoding: data, as: UTF8.self) == "hello" && response.statusCode == 201)
        #expect(response.value(forHTTPHeaderField: "X-Method") == "DELETE")
        #expect(same == data && other.value(forHTTPHeaderField: "X-Method") == "GET")
    }

    @Test func `an upload sends data, a file or a stream in place of the request's own body`() async throws {
        let folder = try TemporaryFolder("upload")
        let file = try folder.write("body", Array("from a file".utf8))
        var own = try request("POST")
        own.httpBody = Data("its own".utf8)
        var streamed = try request("POST")
        streamed.httpBodyStream = InputStream(data: Data("from a stream".utf8))

        let (fromData, _) = try await kernel.upload(for: own, from: Data("from data".utf8))
        let (fromFile, _) = try await kernel.upload(for: own, fromFile: URL(fileURLWithPath: file))
        let (fromStream, _) = try await kernel.data(for: streamed)

        #expect(fromData == Data("from data".utf8))
        #expect(fromFile == Data("from a file".utf8))
        #expect(fromStream == Data("from a stream".utf8))
        #expect(server.requests.map { $0.values("content-length") } == [["9"], ["11"], []])
    }

    @Test func `a response beyond the limit, and a file that does not exist, are errors`() async throws {
        await #expect { _ = try await kernel.data(for: request(), upTo: .bytes(4)) } throws: {
            ($0 as? PlugboardError)?.code == .bodyLimit
        }
        for file in [URL(fileURLWithPath: "/nowhere/\(UUID())"), try #require(URL(string: "http://a.test/x"))] {
            await #expect { _ = try await kernel.upload(for: request("PUT"), fromFile: file) } throws: {
                ($0 as? PlugboardError)?.code == .bodyRead
            }
        }
        #expect(server.requests.count <= 1)
    }
}
