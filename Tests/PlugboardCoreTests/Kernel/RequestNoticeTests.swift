import Foundation
import Plugboard
import PlugboardCore
import Synchronization
import TestSupport
import Testing

/// What a program is told of a request that it sends.
struct RequestNoticeTests {
    private final class Notices: Sendable {
        private let state = Mutex<(progress: [TransferProgress], interim: [ResponseHead], urls: [String])>(([], [], []))
        var progress: [TransferProgress] { state.withLock { $0.progress } }
        var interim: [ResponseHead] { state.withLock { $0.interim } }
        var urls: [String] { state.withLock { $0.urls } }
        func add(_ notice: RequestNotice) {
            state.withLock { state in
                switch notice {
                case .progress(let progress): state.progress.append(progress)
                case .interim(let head, let url):
                    state.interim.append(head)
                    state.urls.append(url)
                }
            }
        }
    }

    @Test func `progress of both bodies has totals, and interim responses come with their fields`() async throws {
        let server = try LoopbackServer { connection in
            let request = try connection.readRequest()
            try connection.write("HTTP/1.1 104 Upload Resumption Supported\r\nLocation: /uploads/1\r\n\r\n")
            try connection.respond(body: String(repeating: "x", count: request.body.count * 2))
        }
        let kernel = try Kernel()
        let notices = Notices()

        let response = try await kernel.send(
            Request(.post, server.url(), body: .bytes([UInt8](repeating: 1, count: 70_000)))
        ) { notices.add($0) }
        let count = try await response.body.collect(upTo: .mebibytes(1)).count

        #expect(count == 140_000)
        let last = try #require(notices.progress.last)
        #expect(last.sent == 70_000 && last.toSend == 70_000 && last.received == 140_000 && last.toReceive == 140_000)
        #expect(notices.interim.map(\.status) == [104] && notices.interim.first?.fields[.location] == "/uploads/1")
        #expect(notices.urls == [server.url()])
    }

    @Test func `progress comes at most ten times a second`() async throws {
        let notices = Notices()
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n")
            for _ in 0..<50 { try connection.write(String(repeating: "x", count: 10)) }
        }
        let kernel = try Kernel()
        let began = ContinuousClock.now

        let response = try await kernel.send(Request(.get, server.url())) { notices.add($0) }
        _ = try await response.body.text()

        let seconds = (ContinuousClock.now - began) / .seconds(1)
        #expect(notices.progress.count >= 1 && Double(notices.progress.count) <= seconds * 10 + 2)
        #expect(notices.progress.last?.received == 500)
    }

    @Test func `cancelling the task cancels the request`() async throws {
        let transport = MockTransport { _, _ in .silence }
        let kernel = try Kernel(transport: transport)

        let task = Task { try await kernel.send(Request(.get, "http://a.test/")) { _ in } }
        try await transport.began.opened(for: 1)
        task.cancel()
        let error = await #expect(throws: PlugboardError.self) { try await task.value }

        #expect(error?.code == .cancelled)
    }
}
