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
        #expect(
            server.requests.last?.target == "/search?words=Gr%C3%BC%C3%9Fe%20%26%20mehr&tags%5B%5D=a&tags%5B%5D=b%2Bc")
        await service.kernel.shutDown()
    }

    @Test func `a form logs in, and another one uploads a file with its progress`() async throws {
        let (server, service) = try service()
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let photo = try folder.write("lake.jpg", String(repeating: "x", count: 100_000))
        let last = Mutex<(Int, Int?)>((0, nil))

        try await service.logIn("ada", "a&b")
        try await service.upload(photo, title: "Lake") { bytes in last.withLock { $0 = (bytes.sent, bytes.toSend) } }

        let requests = server.requests
        let length = requests[1].body.count
        #expect(requests[0].text == "user=ada&password=a%26b")
        #expect(requests[1].text.contains("filename=\"lake.jpg\"\r\nContent-Type: image/jpeg\r\n\r\nxxx"))
        #expect(last.withLock { $0 } == (length, length))
        await service.kernel.shutDown()
    }

    @Test func `a body goes to a file, and the body of a refused response to the program`() async throws {
        let (server, service) = try service { request in
            switch request.path {
            case "/topics/7": ServerResponse(status: 404, body: "no topic 7")
            case "/large": ServerResponse(body: [UInt8](repeating: 7, count: 100_000))
            default: nil
            }
        }
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let last = Mutex<(Int, Int?)>((0, nil))

        try await service.download("large", to: folder.file("large")) { bytes in
            last.withLock { $0 = (bytes.received, bytes.toReceive) }
        }
        let problem = try await service.problem(with: 7)
        let none = try await service.problem(with: 1)

        #expect(try folder.read("large") == [UInt8](repeating: 7, count: 100_000))
        #expect(last.withLock { $0 } == (100_000, 100_000))
        #expect(none == nil && problem == "no topic 7")
        await service.kernel.shutDown()
    }

    @Test func `a request is attempted three times, and a response is kept`() async throws {
        let count = Mutex(0)
        let (server, service) = try service { _ in
            count.withLock {
                $0 += 1; return $0 < 3
            } ? ServerResponse(status: 503) : nil
        }
        defer { server.stop() }

        let persistent = try await service.persistentTopics()
        let first = try await service.storedTopics()
        let second = try await service.storedTopics()

        #expect(persistent.count == 1 && first.count == 1 && second.count == 1)
        #expect(server.requests.count == 4)
        await service.kernel.shutDown()
    }

    @Test func `events come until the server ends them`() async throws {
        let count = Mutex(0)
        let (server, service) = try service { _ in
            count.withLock {
                $0 += 1; return $0 > 1
            }
                ? ServerResponse(status: 204)
                : ServerResponse(
                    fields: [("Content-Type", "text/event-stream")], body: "retry: 1\nid: 5\ndata: one\ndata: two\n\n")
        }
        defer { server.stop() }
        var data: [String] = []

        try await service.events { data.append($0) }

        #expect(data == ["one\ntwo"])
        #expect(server.requests.map { $0["Last-Event-ID"] } == [nil, "5"])
        await service.kernel.shutDown()
    }

    @Test func `the page counts the lines of each task as they are`() throws {
        let files = ["Plugboard.swift", "Alamofire.swift.txt", "URLSession.swift.txt", "AsyncHTTPClient.swift.txt"]
        let counts = try files.map { try EverydayTests.lines(of: Repository.text("Examples/Everyday/\($0)")) }
        let rows = try Repository.text("Documentation/migration.md").split(separator: "\n")
            .filter { $0.hasPrefix("| ") }
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }

        for task in 0...10 {
            let row = rows.first { $0[0].hasPrefix("\(task). ") }
            #expect(row.map { Array($0[1...4]) } == counts.map { "\($0[task])" }, "task \(task)")
        }
    }

    /// The lines of code by task; at index 0 those before the first one, which tasks share. Imports are not counted.
    private static func lines(of text: String) -> [Int] {
        var counts = [Int](repeating: 0, count: 11)
        var task = 0
        for line in text.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            if line.hasPrefix("// "), let number = Int(line.dropFirst(3)) { task = number }
            if line.isEmpty || line.hasPrefix("//") || line.hasPrefix("import ") { continue }
            counts[task] += 1
        }
        return counts
    }
}
