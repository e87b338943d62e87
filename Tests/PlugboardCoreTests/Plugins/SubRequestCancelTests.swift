import Plugboard
import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCore

@Suite struct `Cancelling sub-requests` {
    /// A kernel where only the program's own request and the mirror get a response.
    private func kernel(
        _ work: @escaping @Sendable (PluginHost, UInt64) async throws -> String
    ) throws -> (Kernel, MockTransport) {
        let transport = MockTransport { request, _ in
            request.url == anywhere || request.url.contains("mirror") ? .respond(200) : .silence
        }
        let plugin = ScriptedPlugin("asker")
        plugin.onRequest = { [unowned plugin] exchange in
            guard let host = plugin.host else { return .next }
            let id = exchange.id
            return .wait {
                let found = try await work(host, id)
                return { exchange in
                    exchange.request["X-Found"] = found
                    return .next
                }
            }
        }
        return (try makeKernel([plugin], transport), transport)
    }

    private func found(_ kernel: Kernel, _ transport: MockTransport) async throws -> String? {
        _ = try await kernel.send(Request(.get, anywhere))
        return transport.requests.last?.fields["X-Found"]
    }

    @Test(.timeLimit(.minutes(1)))
    func `a task that is cancelled cancels what it waits for`() async throws {
        let (sent, record) = (Gate(), Record())
        let (kernel, transport) = try kernel { host, id in
            let task = Task {
                do throws(PlugboardError) {
                    _ = try await host.send(Request(.get, "http://silent.test/"), for: id)
                } catch {
                    record.add(error.code.name)
                }
            }
            try await sent.opened()
            task.cancel()
            await task.value
            return "\(record.lines)"
        }

        async let found = found(kernel, transport)
        try await transport.began.opened()
        sent.open()

        #expect(try await found == #"["cancelled"]"#)
        try await transport.cancelled.opened()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a hedge in a task group is over when its first response is there`() async throws {
        let (kernel, transport) = try kernel { host, id in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for url in ["http://silent.test/", "http://mirror.test/"] {
                    group.addTask { try await host.send(Request(.get, url), for: id).head.status }
                }
                let first = try await group.next() ?? 0
                group.cancelAll()
                return "\(first)"
            }
        }

        #expect(try await found(kernel, transport) == "200")
    }

    @Test(.timeLimit(.minutes(1)))
    func `a task that was cancelled before sends nothing`() async throws {
        let (kernel, transport) = try kernel { host, id in
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                do throws(PlugboardError) {
                    _ = try await host.send(Request(.get, "http://silent.test/"), for: id)
                    return "responded"
                } catch {
                    return error.code.name
                }
            }
            task.cancel()
            return await task.value
        }

        #expect(try await found(kernel, transport) == "cancelled")
        #expect(transport.requests.map(\.url) == [anywhere])
    }

    @Test(.timeLimit(.minutes(1)))
    func `one with a closure is cancelled by what sending it returned, once`() async throws {
        let record = Record()
        let (kernel, transport) = try kernel { host, id in
            await withCheckedContinuation { continuation in
                let subRequest = host.send(Request(.get, "http://silent.test/"), for: id) { result in
                    if case .failure(let error) = result { record.add(error.code.name) }
                    continuation.resume()
                }
                record.add("\(subRequest.cancel()) \(subRequest.cancel())")
            }
            return record.lines.sorted().joined(separator: ", ")
        }

        #expect(try await found(kernel, transport) == "cancelled, true false")
    }
}
