import Foundation
import Plugboard
import Synchronization
import TestSupport
import Testing

@testable import ExampleEveryday

/// What the tasks of `Examples/Everyday` do, and how many lines they take.
struct EverydayTests {
    private static let list = #"[{"id": 1, "title": "Lake"}]"#

    /// A service on a server that responds with a list of topics to all that `respond` leaves to it.
    private func service(
        _ respond: @escaping @Sendable (ReceivedRequest) -> ServerResponse? = { _ in nil }
    ) throws -> (LoopbackServer, Service) {
        let server = try LoopbackServer.responding { respond($0) ?? ServerResponse(body: EverydayTests.list) }
        var configuration = Configuration(plugins: ["retry", "cache"])
        configuration.kernel.baseURL = server.url("/")
        return (server, Service(kernel: try Kernel(configuration: configuration)))
    }

    @Test func `topics are fetched, created and searched`() async throws {
        let (server, service) = try service { $0.method == "POST" ? ServerResponse(status: 201, body: $0.body) : nil }
        defer { server.stop() }

        let topics = try await service.topics()
        let created = try await service.create(Topic(id: 2, title: "See"))
        let found = try await service.search("Grüße & mehr", tags: ["a", "b+c"])

        #expect(topics.map(\.title) == ["Lake"] && created.title == "See" && found.count == 1)
        #expect(server.requests.map(\.method) == ["GET", "POST", "GET"])
        #expect(server.requests.last?.target == "/search?words=Gr%C3%BC%C3%9Fe%20%26%20mehr&tags%5B%5D=a&tags%5B%5D=b%2Bc")
        await service.kernel.shutDown()
    }

    @Test func `a form logs in, and another one uploads a file with its progress`() async throws {
        let (server, service) = try service()
        defer { server.stop() }
        let photo = try TemporaryFolder().write("lake.jpg", String(repeating: "x", count: 100_000))
        let last = Mutex<(Int64, Int64?)>((0, nil))

        try await service.logIn("ada", "a&b")
        try await service.upload(photo, title: "Lake") { sent, total in last.withLock { $0 = (sent, total) } }

        let requests = server.requests
        #expect(requests[0].text == "user=ada&password=a%26b")
        #expect(requests[1].text.contains("filename=\"lake.jpg\"\r\nContent-Type: image/jpeg\r\n\r\nxxx"))
        #expect(last.withLock { $0 == (Int64(requests[1].body.count), $1) && $0 == $1 })
        await service.kernel.shutDown()
    }
}
