import Plugboard
import PlugboardKit
import Synchronization
import TestSupport
import Testing

/// Reading the whole body of a sub-response: `ServerResponse.collect(upTo:)`, off the loop and on it.
@Suite struct `The response to a sub-request` {
    enum Way: CaseIterable { case task, closure }

    /// A kernel whose plugin collects the body of a sub-response, and responds with it or fails.
    private func kernel(_ way: Way, upTo limit: ByteCount, _ transport: MockTransport) throws -> Kernel {
        let plugin = ScriptedPlugin("asker")
        let results = Mutex<[UInt64: Result<Bytes, PlugboardError>]>([:])
        plugin.onRequest = { [unowned plugin] exchange in
            guard let host = plugin.host else { return .next }
            let id = exchange.id
            if exchange.visit == .woken, let result = results.withLock({ $0[id] }) {
                switch result {
                case .success(let bytes): return .respond(ResponseHead(status: 200), .bytes(bytes))
                case .failure(let error): return .fail(error)
                }
            }
            switch way {
            case .task:
                return .wait {
                    do throws(PlugboardError) {
                        let response = try await host.send(Request(.get, "http://tokens.test/"), for: id)
                        let bytes = try await response.collect(upTo: limit)
                        return { _ in .respond(ResponseHead(status: 200), .bytes(bytes)) }
                    } catch {
                        return { _ in .fail(error) }
                    }
                }
            case .closure:
                let ticket = exchange.ticket()
                host.send(Request(.get, "http://tokens.test/"), for: id) { result in
                    switch result {
                    case .failure(let error):
                        results.withLock { $0[id] = .failure(error) }
                        ticket.wake()
                    case .success(let response):
                        response.collect(upTo: limit) { result in
                            results.withLock { $0[id] = result }
                            ticket.wake()
                        }
                    }
                }
                return .wait(ticket)
            }
        }
        return try makeKernel([plugin], transport)
    }

    @Test(arguments: Way.allCases)
    func `is collected, piece by piece, up to the limit`(way: Way) async throws {
        let kernel = try kernel(
            way, upTo: .bytes(12), MockTransport { _, _ in .respond(200, [:], ["four", "", "and eight"]) })
        let exact = try self.kernel(
            way, upTo: .bytes(13), MockTransport { _, _ in .respond(200, [:], ["four", "and eight"]) })

        let error = try await failure(of: kernel, Request(.get, anywhere))
        let text = try await exact.send(Request(.get, anywhere)).body.text()

        #expect(error.code == .bodyLimit && error.reason.contains("12B"))
        #expect(text == "fourand eight")
    }

    @Test(arguments: Way.allCases)
    func `that says beforehand that it is too long is not read`(way: Way) async throws {
        let source = LongSource()
        let kernel = try kernel(way, upTo: .kibibytes(1), MockTransport { _, _ in .source(200, [:], source) })

        let error = try await failure(of: kernel, Request(.get, anywhere))
        try await source.released.opened()

        #expect(error.code == .bodyLimit)
        #expect(source.pulls.load(ordering: .relaxed) == 0)
    }

    @Test(arguments: Way.allCases)
    func `that claims an absurd length takes no memory for it`(way: Way) async throws {
        let source = LongSource(length: .max)
        let kernel = try kernel(way, upTo: .unlimited, MockTransport { _, _ in .source(200, [:], source) })

        let text = try await kernel.send(Request(.get, anywhere)).body.text()

        #expect(text.isEmpty)
    }

    @Test(arguments: Way.allCases)
    func `that has no body gives no bytes`(way: Way) async throws {
        let kernel = try kernel(way, upTo: .bytes(0), MockTransport { _, _ in .respond(204, [:], nil) })

        let text = try await kernel.send(Request(.get, anywhere)).body.text()

        #expect(text.isEmpty)
    }

    @Test(arguments: Way.allCases)
    func `that breaks off says why`(way: Way) async throws {
        let broken = Piece.broken(PlugboardError(.bodyCut, "cut"))
        let kernel = try kernel(
            way, upTo: .kibibytes(1),
            MockTransport { _, _ in .source(200, [:], PiecesSource(["half"], ending: broken)) })

        let error = try await failure(of: kernel, Request(.get, anywhere))

        #expect(error.code == .bodyCut)
    }

    @Test(arguments: Way.allCases)
    func `in a hundred thousand pieces that are there at once needs no more stack than one piece`(way: Way) async throws
    {
        let pieces = [String](repeating: "x", count: 100_000)
        let kernel = try kernel(way, upTo: .kibibytes(100), MockTransport { _, _ in .respond(200, [:], pieces) })

        let bytes = try await kernel.send(Request(.get, anywhere)).body.collect(upTo: .kibibytes(100))

        #expect(bytes.count == 100_000)
    }

    @Test func `is released as soon as no task waits for it`() async throws {
        let source = SilentSource()
        let kernel = try kernel(.task, upTo: .kibibytes(1), MockTransport { _, _ in .source(200, [:], source) })

        let handle = kernel.begin(Request(.get, anywhere))
        try await source.pulled.opened()
        handle.cancel()

        try await source.released.opened()
        #expect(await (try? handle.response) == nil)
    }

    @Test func `that is detached is given back when the task that reads it is cancelled`() async throws {
        let source = SilentSource()
        let plugin = ScriptedPlugin("asker")
        let kernel = try makeKernel([plugin], MockTransport { _, _ in .source(200, [:], source) })
        let host = try #require(plugin.host)

        let reading = Task { () -> PlugboardError? in
            do throws(PlugboardError) {
                let response = try await host.send(Request(.get, "http://tokens.test/"), for: nil, isDetached: true)
                _ = try await response.collect(upTo: .kibibytes(1))
                return nil
            } catch {
                return error
            }
        }
        try await source.pulled.opened()
        reading.cancel()
        let error = await reading.value

        #expect(error?.code == .cancelled)
        try await source.released.opened()
        withExtendedLifetime(kernel) {}
    }

    @Test func `cannot be read any more when the kernel has ended`() async throws {
        let plugin = ScriptedPlugin("asker")
        let kernel = try makeKernel([plugin], MockTransport())
        let host = try #require(plugin.host)
        let response = try await host.send(Request(.get, "http://tokens.test/"), for: nil, isDetached: true)
        await kernel.shutDown()

        let error = await #expect(throws: PlugboardError.self) { try await response.collect(upTo: .kibibytes(1)) }

        #expect(error?.code == .shutDown)
    }
}

/// A body with a length that gives no bytes.
private final class LongSource: BodySource {
    let released = Gate()
    let pulls = Atomic(0)
    let length: Int?

    init(length: Int = 1 << 20) { self.length = length }

    func pull(_ pull: Pull) {
        pulls.add(1, ordering: .relaxed)
        pull.end()
    }
    func release() { released.admit() }
}

/// Never responds.
private final class SilentSource: BodySource {
    let pulled = Gate()
    let released = Gate()
    var length: Int? { nil }
    func pull(_ pull: Pull) { pulled.admit() }
    func release() { released.admit() }
}
